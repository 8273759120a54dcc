# The target `docs`: the interface for C++ programs as HTML, in docs/html of the build folder. It is there where Doxygen
# is, and is a test where tests are.
find_program(STINT_DOXYGEN doxygen)
if(STINT_DOXYGEN)
  configure_file(docs/Doxyfile.in "${PROJECT_BINARY_DIR}/docs/Doxyfile" @ONLY)
  add_custom_target(docs COMMAND "${STINT_DOXYGEN}" "${PROJECT_BINARY_DIR}/docs/Doxyfile"
    COMMENT "Documenting the public headers" VERBATIM)
elseif(STINT_BUILD_TESTS)
  message(FATAL_ERROR "doxygen was not found: apt-get install doxygen")
endif()
