# What is installed: the components of find_package(stint) and pkg-config. docs/packaging.md.
include(StintComponent)

stint_component(core stint DESCRIPTION "${PROJECT_DESCRIPTION}" LIBS -ldate-tz -pthread
  NEEDS Threads=libc6-dev date=libhowardhinnant-date-dev yaml-cpp=libyaml-cpp-dev fmt=libfmt-dev
        libxxhash=libxxhash-dev)
get_target_property(core stint::core ALIASED_TARGET)
add_library(stint::stint ALIAS ${core})
stint_component(redis stint_redis DESCRIPTION "Counters of stint in Redis, shared by several processes" LIBS -pthread
  NEEDS OpenSSL=libssl-dev libxxhash=libxxhash-dev fmt=libfmt-dev)
stint_component(server stint_cli)
stint_package_config()
