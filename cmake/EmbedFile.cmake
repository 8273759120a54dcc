# stint_embed(TARGET target SYMBOL name FILE path): puts a file's bytes into a
# target. `#include "embedded/name.hpp"` declares
#
#   namespace stint::inline v0::embedded { extern const std::string_view name; }
#
# Needs `include(EmbedFile)` once. The file is read when the program is built, and again when it changes. It may
# hold any bytes. Works from any folder, also for a target of another one.
#
# The same file is the script that writes the source (cmake -P), so that nothing
# but CMake is needed.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${STINT_EMBED_FILE}" hex HEX)
  # Lines of 32 bytes, then each byte as \xHH. A string literal compiles many
  # times faster than a list of numbers.
  string(REPEAT "[0-9a-f]" 64 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
  file(WRITE "${STINT_EMBED_OUT}.tmp" "// Made from ${STINT_EMBED_NAME} by cmake/EmbedFile.cmake.
#include \"embedded/${STINT_EMBED_SYMBOL}.hpp\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace {
constexpr char kBytes[] =
    \"${hex}\";
}

namespace stint::inline v0::embedded {
constinit const std::string_view ${STINT_EMBED_SYMBOL}{kBytes, sizeof(kBytes) - 1};
}
")
  file(RENAME "${STINT_EMBED_OUT}.tmp" "${STINT_EMBED_OUT}")
  return()
endif()

function(stint_embed)
  cmake_parse_arguments(arg "" "TARGET;SYMBOL;FILE" "" ${ARGN})
  if(NOT arg_TARGET OR NOT arg_SYMBOL MATCHES "^[a-z][a-z0-9_]*$" OR NOT arg_FILE)
    message(FATAL_ERROR "stint_embed(TARGET target SYMBOL name FILE path): got '${ARGN}'")
  endif()
  get_filename_component(file "${arg_FILE}" ABSOLUTE)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "stint_embed: ${file} does not exist")
  endif()
  get_filename_component(name "${file}" NAME)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${arg_SYMBOL}_embedded")
  set(source "${folder}/${arg_SYMBOL}.cpp")

  # The header exists from the configure step on: whoever includes it, in any
  # target, never waits for the source.
  file(CONFIGURE OUTPUT "${folder}/embedded/${arg_SYMBOL}.hpp" @ONLY CONTENT
"// The bytes of ${name}; see cmake/EmbedFile.cmake.
#pragma once

#include <string_view>

namespace stint::inline v0::embedded {
extern const std::string_view ${arg_SYMBOL};
}
")
  add_custom_command(OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DSTINT_EMBED_FILE=${file}" "-DSTINT_EMBED_NAME=${name}"
            "-DSTINT_EMBED_SYMBOL=${arg_SYMBOL}" "-DSTINT_EMBED_OUT=${source}" -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
    DEPENDS "${file}" "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
    COMMENT "Embedding ${name}" VERBATIM)
  # A custom command serves the targets of its own folder only, hence an object library here.
  add_library(stint_embedded_${arg_SYMBOL} OBJECT "${source}")
  set_target_properties(stint_embedded_${arg_SYMBOL} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  target_include_directories(stint_embedded_${arg_SYMBOL} PRIVATE "${folder}")
  target_sources(${arg_TARGET} PRIVATE $<TARGET_OBJECTS:stint_embedded_${arg_SYMBOL}>)
  target_include_directories(${arg_TARGET} PUBLIC $<BUILD_INTERFACE:${folder}>)
endfunction()
