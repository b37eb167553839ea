# What ctest includes of a build with sanitizers, where a process takes long to start: one test for
# each suite of a program of GoogleTest. TERN_LEFT_OUT in the environment: patterns of GoogleTest
# for tests that do not run.

# tern_add_suites(<program> <prefix of names> <properties ...>)
function(tern_add_suites program prefix)
  if(NOT EXISTS ${program})
    add_test(${prefix}NOT_BUILT NOT_AVAILABLE)
    return()
  endif()
  execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listed
                  RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(status)
    message(FATAL_ERROR "${program} --gtest_list_tests: ${status}\n${errors}")
  endif()
  string(REGEX REPLACE "[;[]" "_" listed "\n${listed}")
  string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\.[^\n]*(\n  [^\n]*)+" suites "${listed}")
  foreach(suite ${suites})
    string(REGEX MATCH "[A-Za-z0-9_/]+" name "${suite}")
    string(REGEX MATCHALL "\n  " tests "${suite}")
    list(LENGTH tests cost) # The largest begin first.
    add_test(${prefix}${name} ${program} --gtest_filter=${name}.*-$ENV{TERN_LEFT_OUT})
    set_tests_properties(${prefix}${name} PROPERTIES COST ${cost} ${ARGN})
  endforeach()
endfunction()
