# stint_component(NAME TARGET [DESCRIPTION text] [NEEDS cmake-or-pkg-config-name=debian-package…] [LIBS flag…]):
# installs a library as the component NAME of find_package(stint), as stint::NAME, and for pkg-config as stint-NAME
# (stint for `core`). NEEDS and LIBS are what the static library links besides; names that begin with `lib` are those
# of pkg-config. Of a program only the first half: stint::NAME is then an executable.
#
# With BUILD_SHARED_LIBS the library is a shared one, from the same objects. Tests and the program link the static
# library all the same, whose inside they use. Components of CPack: runtime, devel, server.
include(CMakePackageConfigHelpers)

set(STINT_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/stint")

# What others see of the static library TARGET, and its objects, as a shared one: TARGET_shared.
function(stint_shared target)
  set(shared ${target}_shared)
  get_target_property(embedded ${target} SOURCES)
  list(FILTER embedded INCLUDE REGEX "^\\$<TARGET_OBJECTS:")
  add_library(${shared} SHARED $<TARGET_OBJECTS:${target}> ${embedded})
  get_target_property(headers ${target} HEADER_SET)
  target_sources(${shared} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
  target_compile_features(${shared} PUBLIC cxx_std_20)
  # Debian's libraries lie in one folder that the linker knows; elsewhere one component finds another beside it.
  set_target_properties(${shared} PROPERTIES OUTPUT_NAME ${target} LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN"
    VERSION "${PROJECT_VERSION}" SOVERSION "${STINT_ABI}")
  target_link_options(${shared} PRIVATE -Wl,-z,defs -Wl,--as-needed)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(TARGET ${library}_shared)
      target_link_libraries(${shared} PUBLIC ${library}_shared)
    else()
      target_link_libraries(${shared} PRIVATE $<BUILD_INTERFACE:${library}>)
    endif()
  endforeach()
endfunction()

function(stint_component component target)
  cmake_parse_arguments(arg "" "DESCRIPTION" "NEEDS;LIBS" ${ARGN})
  get_target_property(type ${target} TYPE)
  set(installed ${target})
  set(program_check "")
  if(type STREQUAL "EXECUTABLE")
    add_executable(stint::${component} ALIAS ${target})
    set(program_check "set(_stint_program \"\${_stint_root}/${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:${target}>\")
if(NOT EXISTS \"\${_stint_program}\")
  set(stint_NOT_FOUND_MESSAGE \"the component ${component} needs \${_stint_program} (Debian: stint)\")
  return()
endif()")
  else()
    if(BUILD_SHARED_LIBS AND type STREQUAL "STATIC_LIBRARY")
      stint_shared(${target})
      set(installed ${target}_shared)
    endif()
    add_library(stint::${component} ALIAS ${installed})
    stint_pkg_config(${component} ${target} "${arg_DESCRIPTION}" "${arg_NEEDS}" "${arg_LIBS}")
  endif()
  set_target_properties(${installed} PROPERTIES EXPORT_NAME ${component})

  install(TARGETS ${installed} EXPORT stint-${component}
    RUNTIME COMPONENT server LIBRARY COMPONENT runtime NAMELINK_COMPONENT devel ARCHIVE COMPONENT devel
    FILE_SET HEADERS COMPONENT devel)
  install(EXPORT stint-${component} FILE stint-${component}-targets.cmake NAMESPACE stint::
    DESTINATION "${STINT_CMAKE_DIR}" COMPONENT devel)
  set(needed "")
  if(NOT BUILD_SHARED_LIBS)
    list(JOIN arg_NEEDS " " needed)
  endif()
  set(made "${PROJECT_BINARY_DIR}/package/stint-${component}.cmake")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/stintComponent.cmake.in" "${made}.in" @ONLY)
  file(GENERATE OUTPUT "${made}" INPUT "${made}.in")
  install(FILES "${made}" DESTINATION "${STINT_CMAKE_DIR}" COMPONENT devel)
  set_property(GLOBAL APPEND PROPERTY STINT_COMPONENTS ${component})
endfunction()

# The .pc file names the prefix by the way there from its own folder, so that an installed tree can be moved.
function(stint_pkg_config component target arg_DESCRIPTION needs libs)
  set(package stint-${component})
  set(pc_requires "stint = ${PROJECT_VERSION}")
  if(component STREQUAL "core")
    set(package stint)
    set(pc_requires "")
  endif()
  set(pc_requires_private "")
  set(pc_libs_private "")
  if(NOT BUILD_SHARED_LIBS)
    list(TRANSFORM needs REPLACE "=.*" "")
    list(TRANSFORM needs REPLACE "^OpenSSL$" "libssl libcrypto")
    list(FILTER needs EXCLUDE REGEX "^(Threads|date)$")  # no .pc: in LIBS
    list(JOIN needs " " pc_requires_private)
    list(JOIN libs " " pc_libs_private)
  endif()
  file(RELATIVE_PATH pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/component.pc.in" "${PROJECT_BINARY_DIR}/package/${package}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT devel)
endfunction()

# Writes what find_package(stint) reads first, after all components are known.
function(stint_package_config)
  get_property(components GLOBAL PROPERTY STINT_COMPONENTS)
  list(JOIN components ", " STINT_COMPONENTS)
  set(folder "${PROJECT_BINARY_DIR}/package")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stintConfig.cmake.in" "${folder}/stintConfig.cmake"
    INSTALL_DESTINATION "${STINT_CMAKE_DIR}")
  write_basic_package_version_file("${folder}/stintConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${folder}/stintConfig.cmake" "${folder}/stintConfigVersion.cmake" DESTINATION "${STINT_CMAKE_DIR}"
    COMPONENT devel)
endfunction()
