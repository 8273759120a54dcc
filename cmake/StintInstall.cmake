# What is installed: the components of find_package(stint) and pkg-config. docs/packaging.md.
include(StintComponent)

stint_component(core stint DESCRIPTION "${PROJECT_DESCRIPTION}" LIBS -ldate-tz -pthread
  NEEDS Threads:=libc6-dev date:=libhowardhinnant-date-dev yaml-cpp=libyaml-cpp-dev fmt=libfmt-dev
        libxxhash=libxxhash-dev)
get_target_property(core stint::core ALIASED_TARGET)
add_library(stint::stint ALIAS ${core})
stint_component(redis stint_redis DESCRIPTION "Counters of stint in Redis, shared by several processes" LIBS -pthread
  NEEDS OpenSSL:libssl=libssl-dev libxxhash=libxxhash-dev fmt=libfmt-dev)
stint_component(asio stint_asio DESCRIPTION "Checks of stint as Boost.Asio operations" NEEDS Boost:=libboost1.81-dev)
if(NOT BUILD_SHARED_LIBS)
  # Limits on gRPC methods: the library, the plugin of protoc, the function that runs it, and what .proto files import.
  stint_component(grpc stint_grpc DESCRIPTION "Limits of stint on gRPC methods"
    NEEDS Protobuf:protobuf=libprotobuf-dev gRPC:grpc++=libgrpc++-dev)
  install(TARGETS stint_protoc_plugin EXPORT stint-grpc RUNTIME COMPONENT devel)
  install(FILES cmake/StintGrpc.cmake DESTINATION "${STINT_CMAKE_DIR}" RENAME stint-grpc-functions.cmake
    COMPONENT devel)
  install(DIRECTORY proto/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT devel)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/src/grpc/proto/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT devel
    FILES_MATCHING PATTERN "*.pb.h")
endif()
stint_component(server stint_cli)
stint_package_config()

# What comes with the program; it is made beside it (src/cli/CMakeLists.txt).
set(STINT_ZSH_DIR "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING "Where zsh looks for completions")
if(NOT STINT_SANITIZED)
  set(made "${PROJECT_BINARY_DIR}/package")
  install(FILES "${made}/stint.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME stint
    COMPONENT server)
  install(FILES "${made}/_stint" DESTINATION "${STINT_ZSH_DIR}" COMPONENT server)
  install(FILES "${made}/stint.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT server)
  install(FILES "${made}/stint.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT server)
endif()
