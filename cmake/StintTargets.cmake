# What every target of stint is compiled with, and the ways to add one.

add_library(stint_options INTERFACE)
target_compile_options(stint_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(stint_options INTERFACE -Werror)  # not where others choose the compiler and its options
endif()
# With -O3, GCC 12 takes the ends of an ordinary std::string for overlapping.
target_compile_options(stint_options INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
target_compile_definitions(stint_options INTERFACE $<$<CONFIG:Debug,RelWithDebInfo>:_GLIBCXX_ASSERTIONS>)

# Whether the preset is one of the sanitizers'.
set(STINT_SANITIZED OFF)
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize=")
  set(STINT_SANITIZED ON)
endif()

# stint_sources(TARGET file…): adds sources of this folder to a library.
function(stint_sources target)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(${target} PRIVATE ${ARGN})
endfunction()

# stint_packaged(TARGET): a library that others link. Its objects serve a shared library too, which shows what public
# headers declare; each of these is checked to compile alone.
function(stint_packaged target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# stint_test(NAME [WHOLE] LABELS label… SOURCES file… [LIBRARIES lib…] [TIMEOUT seconds]):
# a GoogleTest program; each of its tests is a ctest test with these labels, or
# the program is one if WHOLE: where its tests share what takes long to set up.
# Those of src, those against the reference model, the conformance vectors, the
# logs, those on Redis servers, and those labelled `concurrency` also get the
# label `sanitize` and are built by the target `sanitizer_tests`.
# Tests labelled `long` run only in `./test --long`.
function(stint_test name)
  if(NOT STINT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "WHOLE" "TIMEOUT" "LABELS;SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(STINT_SANITIZED)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE stint_options ${arg_LIBRARIES} stint GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(${name} PRIVATE STINT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE folder)
  if(folder MATCHES "^(src|tests/(oracle|conformance|redis|integration/replay))" OR "concurrency" IN_LIST arg_LABELS)
    list(APPEND arg_LABELS sanitize)
    add_dependencies(sanitizer_tests ${name})
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "TZ=Pacific/Auckland")
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${properties} LABELS "${arg_LABELS}")
    return()
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  # gtest_discover_tests takes lists apart, so that the labels are set afterwards.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(WRITE "${labels_file}"
    "if(${name}_TESTS)\n  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${arg_LABELS}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()
if(STINT_BUILD_TESTS)
  add_custom_target(sanitizer_tests)
endif()

# stint_output_test(NAME REGEX COMMAND…): a test that passes if the command exits
# with 0 and what it prints fits.
set(STINT_EXPECT_OUTPUT "${CMAKE_CURRENT_LIST_DIR}/ExpectOutput.cmake")
function(stint_output_test name expect)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" "-DEXPECT=${expect}" "-DCOMMAND=${ARGN}" -P "${STINT_EXPECT_OUTPUT}")
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# stint_bench(NAME file…): a Google Benchmark program.
function(stint_bench name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE stint_options stint benchmark::benchmark)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
endfunction()
