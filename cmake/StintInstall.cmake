# find_package(stint) and pkg-config for the library; the program.
include(CMakePackageConfigHelpers)

install(TARGETS stint EXPORT stintTargets ARCHIVE LIBRARY FILE_SET HEADERS)
install(TARGETS stint_cli RUNTIME)
install(EXPORT stintTargets NAMESPACE stint:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/stint")

configure_package_config_file(cmake/stintConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/stintConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/stint")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/stintConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stintConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/stintConfigVersion.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/stint")

# The .pc file names the prefix by the way there from its own folder, so that an installed tree can be moved.
file(RELATIVE_PATH STINT_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/stint.pc.in "${CMAKE_CURRENT_BINARY_DIR}/stint.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stint.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
