# Compiles several files at once, which spares most of the time that their headers take: of code
# (tern_unity) the files of a folder, of tests (tern_batches) some at a time.

# --- Code ---
# Files, and folders, in which a name stands for two things when they are compiled together, also
# by the macros of windows.h.
string(JOIN "|" unity_never
       transport/sockets/discovery_socket.cpp sim/scenarios/ programs/prof/ programs/sim/game.cpp
       programs/common/type_file programs/common/process_windows bench/sections/ bench/surface/)

# tern_unity(<target>): the files of each folder together, if TERN_UNITY is on.
function(tern_unity name)
  if(NOT TERN_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH folder)
    if(NOT path MATCHES "(^|/)(${unity_never})")
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# --- Tests ---
# A batch is a generated file: first every #include of its test files, then each test file in a
# namespace of its own, in which its #includes have nothing left to do. So two files may use the
# same names, and compiler messages still name the test file and its line.

set(batch_size 8) # Two batches at once take less than 2 GB.

# A test file that has a line like these is compiled by itself. endpoint_world.h names a function
# as another header of its folder does.
string(JOIN "|" batch_never "^#(if|define|undef|pragma)" "^extern" "^template <>" "^int main"
       "operator (new|delete)" "endpoint_world\\.h\"")
# In a batch a name of theirs would hide another one, or stand for two things.
set(batch_alone connection_test path_size_test values_chance_test)

# tern_batch_text(<variable> sources): the text of the batch of these sources.
function(tern_batch_text text)
  set(includes "")
  set(bodies "")
  foreach(source ${ARGN})
    cmake_path(GET source STEM unit)
    cmake_path(GET source PARENT_PATH folder)
    file(STRINGS ${source} lines REGEX "^#include ")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^/\"]+)\"" "#include \"${folder}/\\1\"" line "${line}")
      list(APPEND includes "${line}")
    endforeach()
    string(MAKE_C_IDENTIFIER batch_${unit} unit)
    # A test that opens namespace tern still finds what the headers declare there.
    file(STRINGS ${source} lines REGEX "^namespace [a-z_:]+ {$")
    list(REMOVE_DUPLICATES lines)
    foreach(line ${lines})
      string(REGEX MATCHALL "[a-z_]+" parts "${line}")
      list(POP_FRONT parts)
      set(opened "")
      foreach(part ${parts})
        string(APPEND opened "::${part}")
        string(SUBSTRING ${opened} 2 -1 name)
        string(APPEND bodies "namespace ${name} {}\n"
          "namespace ${unit}::${name} { using namespace ::${name}; }\n")
      endforeach()
    endforeach()
    string(APPEND bodies "namespace ${unit} {\n#include \"${source}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  set(${text} "${includes}\n${bodies}" PARENT_SCOPE)
endfunction()

# tern_batches(<variable> <name> sources): what to compile in place of these sources, which are
# absolute paths: batches, and the files that must stay by themselves.
function(tern_batches result name)
  set(together "")
  set(units "")
  foreach(source ${ARGN})
    file(STRINGS ${source} found REGEX "${batch_never}" LIMIT_COUNT 1)
    cmake_path(GET source STEM unit)
    if(found OR unit IN_LIST batch_alone OR NOT source MATCHES "_test\\.cpp$")
      list(APPEND units ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  list(LENGTH together count)
  if(count EQUAL 1)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  math(EXPR batches "(${count} + ${batch_size} - 1) / ${batch_size}")
  set(batch 0)
  while(batch LESS batches)
    set(members "")
    set(next ${batch})
    while(next LESS count) # Every so-many-th: large files stand next to each other by name.
      list(GET together ${next} source)
      list(APPEND members ${source})
      math(EXPR next "${next} + ${batches}")
    endwhile()
    tern_batch_text(text ${members})
    set(file ${PROJECT_BINARY_DIR}/batches/${name}_${batch}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND units ${file})
    math(EXPR batch "${batch} + 1")
  endwhile()
  set(${result} ${units} PARENT_SCOPE)
endfunction()
