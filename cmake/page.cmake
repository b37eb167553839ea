# The page that shows tern: programs/page in WebAssembly, as one file that needs no server. `./dev
# page` builds it.

set(page ${PROJECT_SOURCE_DIR}/programs/page)
file(STRINGS ${page}/exports.cpp lines REGEX "^EMSCRIPTEN_KEEPALIVE")
set(exports malloc)
foreach(line ${lines})
  string(REGEX MATCH "page_[a-z_]+" name "${line}")
  list(APPEND exports ${name})
endforeach()
list(TRANSFORM exports PREPEND _)
list(JOIN exports , exports)

file(GLOB sources CONFIGURE_DEPENDS ${page}/*.cpp)
tern_executable(tern_page_world ${sources})
tern_unity(tern_page_world)
tern_link_modules(tern_page_world network udp session rpc migration replication transport base)
target_compile_options(tern_page_world PRIVATE -fno-exceptions -fno-rtti)
# A page that is opened as a file may not load others, so the module is in the script.
target_link_options(tern_page_world PRIVATE -O2 -g0 --no-entry -sENVIRONMENT=web -sNODERAWFS=0
  -sEXIT_RUNTIME=0 -sFILESYSTEM=0 -sWASM_ASYNC_COMPILATION=1 -sSINGLE_FILE=1 -sMODULARIZE=1
  -sEXPORT_NAME=make_world -sEXPORTED_FUNCTIONS=${exports}
  -sEXPORTED_RUNTIME_METHODS=UTF8ToString,HEAPU8)

set(parts page.html page.css histories.js common.js lanes_view.js world_view.js steps_view.js
          page.js)
list(TRANSFORM parts PREPEND ${page}/)
file(GLOB histories CONFIGURE_DEPENDS ${page}/histories/*.json)
set(built_page ${PROJECT_BINARY_DIR}/tern_page.html)
add_custom_command(OUTPUT ${built_page} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D WORLD=$<TARGET_FILE:tern_page_world> -D TO=${built_page}
          -P ${PROJECT_SOURCE_DIR}/cmake/page_inline.cmake
  DEPENDS tern_page_world ${parts} ${histories} ${PROJECT_SOURCE_DIR}/cmake/page_inline.cmake
  COMMENT "Writing tern_page.html")
add_custom_target(tern_page ALL DEPENDS ${built_page})

if(TERN_BUILD_TESTS)
  add_test(NAME page.browser
           COMMAND ${PROJECT_SOURCE_DIR}/tests/page/page.sh ${built_page}
                   ${PROJECT_BINARY_DIR}/pictures)
  set_tests_properties(page.browser PROPERTIES
                       LABELS page TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
