# cmake -DEXPECT=REGEX -DCOMMAND=PROGRAM[;ARGUMENT…] -P ExpectOutput.cmake: runs
# the program; fails unless it exits with 0 and what it prints fits. (With
# PASS_REGULAR_EXPRESSION, CTest would not look at the exit code.)
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit code ${code}")
endif()
if(NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "the output does not fit: ${EXPECT}")
endif()
