# Pages of programs/page/ as one file each.

# tern_page_text(<variable> <html> [FIRST <script>] FILES scripts): the page with its styles and
# scripts in it; the script with this whole path comes before the others.
function(tern_page_text result html)
  cmake_parse_arguments(arg "" "FIRST" "FILES" ${ARGN})
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../programs/page)
  file(READ ${folder}/${html} text)
  file(READ ${folder}/page.css styles)
  set(scripts "")
  if(arg_FIRST)
    file(READ ${arg_FIRST} scripts)
  endif()
  foreach(name ${arg_FILES})
    file(READ ${folder}/${name} script)
    string(APPEND scripts "${script}")
  endforeach()
  foreach(name race fix rule)
    file(READ ${folder}/histories/${name}.json history)
    string(REPLACE "\"@${name}@\"" "${history}" scripts "${scripts}")
  endforeach()
  string(REPLACE "/* styles */" "${styles}" text "${text}")
  string(REPLACE "/* scripts */" "${scripts}" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# As a script it writes the page that shows tern, with the script that holds the WebAssembly module:
# cmake -D WORLD=... -D TO=... -P this
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  tern_page_text(page page.html FIRST ${WORLD}
    FILES histories.js common.js lanes_view.js world_view.js steps_view.js page.js)
  file(WRITE ${TO} "${page}")
endif()
