# What every target of stint is compiled with, and the three ways to add one.

add_library(stint_options INTERFACE)
target_compile_options(stint_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Werror)
target_compile_definitions(stint_options INTERFACE $<$<CONFIG:Debug,RelWithDebInfo>:_GLIBCXX_ASSERTIONS>)

# stint_sources(TARGET file…): adds sources of this folder to a library.
function(stint_sources target)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(${target} PRIVATE ${ARGN})
endfunction()

# stint_test(NAME LABEL label… SOURCES file… [LIBRARIES lib…] [TIMEOUT seconds]):
# a GoogleTest program; each of its tests is a ctest test with these labels.
function(stint_test name)
  if(NOT STINT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE stint_options ${arg_LIBRARIES} stint GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(${name} PRIVATE STINT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "TZ=Pacific/Auckland")
endfunction()

# stint_bench(NAME file…): a Google Benchmark program.
function(stint_bench name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE stint_options stint benchmark::benchmark)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
endfunction()
