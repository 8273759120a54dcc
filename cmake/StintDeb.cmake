# Debian packages by cpack: libstint0 (the shared libraries), libstint-dev, stint (the program and its service). The
# preset `deb` sets what they need; docs/packaging.md.
if(NOT BUILD_SHARED_LIBS OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "STINT_DEB needs BUILD_SHARED_LIBS=ON and CMAKE_INSTALL_PREFIX=/usr, as the preset deb has them")
endif()

install(FILES deploy/rules.yaml DESTINATION /etc/stint COMPONENT server)
install(FILES deploy/stint.service DESTINATION lib/systemd/system COMPONENT server)
install(FILES deploy/sysusers.conf DESTINATION lib/sysusers.d RENAME stint.conf COMPONENT server)

set(library "libstint${STINT_ABI}")
set(packages runtime "${library}" devel libstint-dev server stint)
while(packages)
  list(POP_FRONT packages component package)
  install(FILES deploy/debian/copyright DESTINATION "share/doc/${package}" COMPONENT ${component})
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
endwhile()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stint)
set(CPACK_PACKAGE_CONTACT "The stint authors <stint@example.org>")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# dpkg-shlibdeps finds the libraries of this build here, for libstint_redis, which needs libstint.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")

set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact rate limiter: library, server and command line")
set(what "stint decides, for every request, whether this caller may go on.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "${what}
This package has the shared libraries: counters in memory, and in Redis.")

# The headers need the standard library alone, and what the shared libraries link they bring along.
set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVEL_PACKAGE_SUGGESTS stint)
set(CPACK_DEBIAN_DEVEL_DESCRIPTION "${what}
This package is for C++ programs that limit requests themselves: headers,
and what CMake and pkg-config read.")

set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "systemd-standalone-sysusers | systemd, tzdata")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(file postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/deploy/debian/${file}")
endforeach()
set(CPACK_DEBIAN_SERVER_DESCRIPTION "${what}
This package has the server and the command line. Rules stand in one file,
states live in the server or in Redis. The service listens on loopback, and
is not started before it is told to.")
include(CPack)
