# stint_component(NAME TARGET [DESCRIPTION text] [NEEDS cmake-name[:pkg-config-name]=debian-package…] [LIBS flag…]):
# installs a library as the component NAME of find_package(stint), as stint::NAME, and for pkg-config as stint-NAME
# (stint for `core`). TARGET is a static library, one of headers alone (INTERFACE), or a program, of which only the
# first half holds: stint::NAME is then an executable. NEEDS and LIBS are what a program that links the static library,
# or includes the headers, links besides: `gRPC:grpc++=libgrpc++-dev`; with one name both know it by that, with `:` and
# nothing behind it pkg-config does not, and one that begins with `lib` is unknown to CMake.
#
# With BUILD_SHARED_LIBS static libraries become shared ones, from the same objects, and need nothing besides. Tests
# and the program link the static libraries all the same, whose inside they use. Components of CPack: runtime, devel,
# server.
include(CMakePackageConfigHelpers)

set(STINT_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/stint")

# The libraries of a list, each by the shared one that is made of it, if there is one.
function(stint_as_shared result)
  set(libraries "")
  foreach(library IN LISTS ARGN)
    if(TARGET ${library}_shared)
      set(library ${library}_shared)
    endif()
    list(APPEND libraries ${library})
  endforeach()
  set(${result} "${libraries}" PARENT_SCOPE)
endfunction()

# TARGET_shared: what others see of TARGET, and the objects of a static library, as a shared one.
function(stint_shared target type)
  set(shared ${target}_shared)
  if(type STREQUAL "INTERFACE_LIBRARY")
    add_library(${shared} INTERFACE)
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    stint_as_shared(libraries ${libraries})
    target_link_libraries(${shared} INTERFACE ${libraries})
    set(scope INTERFACE)
  else()
    get_target_property(embedded ${target} SOURCES)
    list(FILTER embedded INCLUDE REGEX "^\\$<TARGET_OBJECTS:")
    add_library(${shared} SHARED $<TARGET_OBJECTS:${target}> ${embedded})
    # Debian's libraries lie in one folder that the linker knows; elsewhere one component finds another beside it.
    set_target_properties(${shared} PROPERTIES OUTPUT_NAME ${target} LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN"
      VERSION "${PROJECT_VERSION}" SOVERSION "${STINT_ABI}")
    target_link_options(${shared} PRIVATE -Wl,-z,defs -Wl,--as-needed)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    stint_as_shared(libraries ${libraries})
    foreach(library IN LISTS libraries)
      if(library MATCHES "_shared$")
        target_link_libraries(${shared} PUBLIC ${library})
      else()
        target_link_libraries(${shared} PRIVATE $<BUILD_INTERFACE:${library}>)
      endif()
    endforeach()
    set(scope PUBLIC)
  endif()
  get_target_property(headers ${target} HEADER_SET)
  target_sources(${shared} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
  target_compile_features(${shared} ${scope} cxx_std_20)
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
    if(BUILD_SHARED_LIBS)
      stint_shared(${target} ${type})
      set(installed ${target}_shared)
      if(type STREQUAL "STATIC_LIBRARY")
        set(arg_NEEDS "")
        set(arg_LIBS "")
      endif()
    endif()
    add_library(stint::${component} ALIAS ${installed})
    set(linked "")
    if(type STREQUAL "STATIC_LIBRARY")
      set(linked "-L\${libdir} -l${target}")
    endif()
    stint_pkg_config(${component} "${linked}" "${arg_DESCRIPTION}" "${arg_NEEDS}" "${arg_LIBS}")
  endif()
  set_target_properties(${installed} PROPERTIES EXPORT_NAME ${component})

  install(TARGETS ${installed} EXPORT stint-${component}
    RUNTIME COMPONENT server LIBRARY COMPONENT runtime NAMELINK_COMPONENT devel ARCHIVE COMPONENT devel
    FILE_SET HEADERS COMPONENT devel)
  install(EXPORT stint-${component} FILE stint-${component}-targets.cmake NAMESPACE stint::
    DESTINATION "${STINT_CMAKE_DIR}" COMPONENT devel)
  list(JOIN arg_NEEDS " " needed)
  set(made "${PROJECT_BINARY_DIR}/package/stint-${component}.cmake")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/stintComponent.cmake.in" "${made}.in" @ONLY)
  file(GENERATE OUTPUT "${made}" INPUT "${made}.in")
  install(FILES "${made}" DESTINATION "${STINT_CMAKE_DIR}" COMPONENT devel)
  set_property(GLOBAL APPEND PROPERTY STINT_COMPONENTS ${component})
endfunction()

# The .pc file names the prefix by the way there from its own folder, so that an installed tree can be moved.
function(stint_pkg_config component pc_libs pc_description needs libs)
  set(package stint-${component})
  set(pc_requires "stint = ${PROJECT_VERSION}")
  if(component STREQUAL "core")
    set(package stint)
    set(pc_requires "")
  endif()
  list(TRANSFORM needs REPLACE "=.*" "")
  list(FILTER needs EXCLUDE REGEX ":$")
  list(TRANSFORM needs REPLACE ".*:" "")
  list(JOIN needs " " pc_requires_private)
  list(JOIN libs " " pc_libs_private)
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
