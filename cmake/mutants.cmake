# The mutants: the patches in sim/mutants/ add points to the core at which a rule can be switched
# off. They are applied to copies of the files, so the core itself has none. A patch that does not
# fit any more stops the build; sim/mutants/refit.sh renews it.

find_program(TERN_PATCH patch) # Debian: patch.

# tern_mutated(<variable> sources): these sources, with a patched copy in place of each that a patch
# is for.
function(tern_mutated result)
  set(sources "")
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} NORMALIZE)
    list(APPEND sources ${source})
  endforeach()
  file(GLOB_RECURSE patches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/mutants/*.patch)
  foreach(patch ${patches})
    file(STRINGS ${patch} line REGEX "^--- a/" LIMIT_COUNT 1)
    string(SUBSTRING "${line}" 6 -1 path)
    set(source ${PROJECT_SOURCE_DIR}/${path})
    set(copy ${PROJECT_BINARY_DIR}/mutated/${path})
    if(NOT source IN_LIST sources)
      message(FATAL_ERROR "${patch} is for ${path}, which is no source of the core")
    endif()
    cmake_path(GET copy PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${copy} DEPENDS ${source} ${patch} VERBATIM
      COMMAND ${TERN_PATCH} --quiet --fuzz=0 --reject-file=- --output=${copy} ${source} ${patch}
      COMMENT "Patching ${path} for the mutants")
    list(REMOVE_ITEM sources ${source})
    list(APPEND sources ${copy})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
