# find_package(stint) and pkg-config for the library and its component `redis`; the program.
include(CMakePackageConfigHelpers)

set(STINT_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/stint")
install(TARGETS stint EXPORT stintTargets ARCHIVE LIBRARY FILE_SET HEADERS)
install(TARGETS stint_redis EXPORT stintRedisTargets ARCHIVE LIBRARY FILE_SET HEADERS)
install(TARGETS stint_cli RUNTIME)
foreach(targets stintTargets stintRedisTargets)
  install(EXPORT ${targets} NAMESPACE stint:: DESTINATION "${STINT_CMAKE_DIR}")
endforeach()

configure_package_config_file(cmake/stintConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/stintConfig.cmake"
  INSTALL_DESTINATION "${STINT_CMAKE_DIR}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/stintConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stintConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/stintConfigVersion.cmake"
  DESTINATION "${STINT_CMAKE_DIR}")

# The .pc files name the prefix by the way there from their own folder, so that an installed tree can be moved.
file(RELATIVE_PATH STINT_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
foreach(module stint stint-redis)
  configure_file(cmake/${module}.pc.in "${CMAKE_CURRENT_BINARY_DIR}/${module}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${module}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
