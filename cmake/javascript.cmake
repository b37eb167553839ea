# The JavaScript binding: tern in WebAssembly, with the simulated network. Beside tern_wasm.mjs and
# tern_wasm.wasm lie the modules that load them: build/javascript is the whole package.

set(bindings ${PROJECT_SOURCE_DIR}/bindings/javascript)
set(package ${PROJECT_BINARY_DIR}/javascript)
file(STRINGS ${bindings}/glue.cpp lines REGEX "^[a-zA-Z].* \\*?js_[a-z_]+\\(")
set(exports malloc free tern_version tern_start tern_leave tern_go_on tern_session_state
    tern_state_name tern_state_text tern_local_peer tern_host_peer tern_peer_name
    tern_event_kind_text tern_result_text tern_claim_refusal_text tern_call_failure_text
    tern_creations_left)
foreach(line ${lines})
  string(REGEX MATCH "js_[a-z_]+" name "${line}")
  list(APPEND exports ${name})
endforeach()
list(TRANSFORM exports PREPEND _)
list(JOIN exports , exports)

tern_executable(tern_javascript ${bindings}/glue.cpp)
tern_user_target(tern_javascript)
target_compile_options(tern_javascript PRIVATE -fno-exceptions -fno-rtti)
set_target_properties(tern_javascript PROPERTIES
  OUTPUT_NAME tern_wasm SUFFIX .mjs RUNTIME_OUTPUT_DIRECTORY ${package})
# tern.mjs hands the bytes of the module to it in node, so it needs nothing of node itself.
target_link_options(tern_javascript PRIVATE -O2 -g0 --no-entry -sENVIRONMENT=web,worker
  -sNODERAWFS=0 -sEXIT_RUNTIME=0 -sWASM_ASYNC_COMPILATION=1 -sFILESYSTEM=0 -sEXPORT_NAME=make_tern
  -sEXPORTED_FUNCTIONS=${exports}
  -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8,HEAPU8)
foreach(file tern.mjs fields.mjs network.mjs tern.d.ts two.mjs meet.mjs demo.html
             package.json)
  configure_file(${bindings}/${file} ${package}/${file} COPYONLY)
endforeach()

if(TERN_BUILD_TESTS)
  set(tests ${PROJECT_SOURCE_DIR}/tests/bindings)
  add_test(NAME bindings.javascript COMMAND node --test ${tests}/javascript_test.mjs)
  add_test(NAME bindings.javascript_page COMMAND ${tests}/page.sh ${package})
  set_tests_properties(bindings.javascript bindings.javascript_page PROPERTIES
                       LABELS bindings TIMEOUT 300 SKIP_RETURN_CODE 77
                       ENVIRONMENT TERN_JAVASCRIPT=${package})
endif()
