# Tests of all that is Lua, for each Lua that was found.

# The module's own.
set(here ${PROJECT_SOURCE_DIR}/tests/lua)
file(GLOB sources CONFIGURE_DEPENDS tests/lua/*.cpp)
foreach(lua ${lua_modules})
  string(REPLACE ":" ";" lua ${lua})
  list(GET lua 0 suffix)
  list(GET lua 1 library)
  tern_test_executable(test_${suffix} ${sources})
  target_compile_definitions(test_${suffix} PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${suffix} PRIVATE GTest::gtest tern_${suffix} PkgConfig::${library})
  tern_link_modules(test_${suffix} ${all_modules})
  tern_discover_tests(test_${suffix} ${suffix}. LABELS lua TIMEOUT 300)
  # The interpreters know nothing of the sanitizers' library.
  if(TARGET tern_${suffix}_loadable AND NOT TERN_SANITIZE)
    add_test(NAME lua.loads_${library} COMMAND ${here}/loads.sh ${library}
                                               $<TARGET_FILE:tern_${suffix}_loadable>)
    set_tests_properties(lua.loads_${library} PROPERTIES LABELS lua TIMEOUT 120
                                                         SKIP_RETURN_CODE 77)
  endif()
endforeach()
if(TARGET test_lua)
  add_test(NAME lua.luacheck COMMAND ${here}/luacheck.sh ${PROJECT_SOURCE_DIR})
  # Builds the library twice.
  add_test(NAME lua.rockspec COMMAND ${here}/rockspec.sh ${PROJECT_SOURCE_DIR}
                                     ${PROJECT_BINARY_DIR}/rockspec)
  set_tests_properties(lua.luacheck PROPERTIES LABELS lua TIMEOUT 120 SKIP_RETURN_CODE 77)
  set_tests_properties(lua.rockspec PROPERTIES LABELS slow TIMEOUT 1800 PROCESSORS 2
                                               SKIP_RETURN_CODE 77)
endif()

# What runs game scripts, once for each Lua.
file(GLOB sources CONFIGURE_DEPENDS tests/scripts/*.cpp)
function(tern_scripts_test name scripts module lua peer)
  tern_test_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${scripts} tern_house GTest::gtest_main ${module} ${lua})
  if(TARGET ${peer})
    add_dependencies(${name} ${peer})
    target_compile_definitions(${name} PRIVATE TERN_PEER_PROGRAM="$<TARGET_FILE:${peer}>")
    if(TARGET PkgConfig::libedit)
      target_compile_definitions(${name} PRIVATE TERN_HAVE_LIBEDIT)
    endif()
    foreach(other tern-peer tern-peer-lua54 tern-peer-luajit)
      if(TARGET ${other} AND NOT other STREQUAL peer)
        add_dependencies(${name} ${other})
        target_compile_definitions(${name} PRIVATE TERN_OTHER_PEER="$<TARGET_FILE:${other}>")
      endif()
    endforeach()
  endif()
  tern_discover_tests(${name} ${name}. LABELS scripts TIMEOUT 600)
endfunction()
if(TARGET tern_scripts)
  tern_scripts_test(test_scripts tern_scripts tern_lua "${tern_lua_library}" tern-peer)
endif()
if(TARGET tern_scripts_${lua_other})
  tern_scripts_test(test_scripts_${lua_other} tern_scripts_${lua_other} tern_${lua_other}
                    PkgConfig::${lua_other} tern-peer-${lua_other})
endif()

# Games in Lua under tern-sim.
if(TARGET tern-sim)
  tern_test_executable(test_sim_games ${PROJECT_SOURCE_DIR}/tests/sim_games/sim_game_test.cpp)
  target_include_directories(test_sim_games PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(test_sim_games PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                    TERN_SIM="$<TARGET_FILE:tern-sim>")
  target_link_libraries(test_sim_games PRIVATE tern_house GTest::gtest_main)
  add_dependencies(test_sim_games tern-sim)
  if(TARGET tern-sim-${lua_other})
    add_dependencies(test_sim_games tern-sim-${lua_other})
    target_compile_definitions(test_sim_games PRIVATE
      TERN_OTHER_SIM="$<TARGET_FILE:tern-sim-${lua_other}>")
  endif()
  tern_discover_tests(test_sim_games sim_games. LABELS sim TIMEOUT 300)
endif()

# Games of examples/lua/ and what docs/use/lua.md says, as processes.
if(TARGET tern-peer AND TARGET tern-sim)
  file(GLOB sources CONFIGURE_DEPENDS tests/lua_examples/*.cpp)
  tern_test_executable(test_lua_examples ${sources})
  target_include_directories(test_lua_examples PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_lua_examples PRIVATE tern_house GTest::gtest_main)
  set(other_peer tern-peer)
  set(other_sim tern-sim)
  if(TARGET tern-peer-${lua_other})
    set(other_peer tern-peer-${lua_other})
    set(other_sim tern-sim-${lua_other})
  endif()
  add_dependencies(test_lua_examples tern-peer tern-sim ${other_peer} ${other_sim})
  target_compile_definitions(test_lua_examples PRIVATE
    TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TERN_PEER_PROGRAM="$<TARGET_FILE:tern-peer>"
    TERN_OTHER_PEER="$<TARGET_FILE:${other_peer}>" TERN_SIM="$<TARGET_FILE:tern-sim>"
    TERN_OTHER_SIM="$<TARGET_FILE:${other_sim}>")
  if(TARGET tern-host)
    add_dependencies(test_lua_examples tern-host)
    target_compile_definitions(test_lua_examples PRIVATE
      TERN_HOST_PROGRAM="$<TARGET_FILE:tern-host>")
  endif()
  tern_discover_tests(test_lua_examples lua_examples. LABELS lua TIMEOUT 300)
endif()

if(TARGET example_embed_lua)
  add_test(NAME example.embed_lua COMMAND example_embed_lua)
  set_tests_properties(example.embed_lua PROPERTIES LABELS examples TIMEOUT 60
                                                    PASS_REGULAR_EXPRESSION "It is lit")
endif()
