# The examples of docs/use/examples.md, each as a test that plays it. `ctest -L examples` runs them.

set(example_scripts ${PROJECT_SOURCE_DIR}/tests/examples)

# tern_play_example(<name> <arguments ...> -- <texts ...>): it ends well and prints the texts in
# this order.
function(tern_play_example name)
  add_test(NAME example.${name}
           COMMAND ${example_scripts}/play.sh $<TARGET_FILE:example_${name}> ${ARGN})
  set_tests_properties(example.${name} PROPERTIES LABELS examples TIMEOUT 120)
endfunction()

# tern_script_example(<name> <arguments ...>): tests/examples/<name>.sh plays it.
function(tern_script_example name)
  add_test(NAME example.${name} COMMAND ${example_scripts}/${name}.sh ${ARGN})
  set_tests_properties(example.${name} PROPERTIES LABELS examples TIMEOUT 120)
endfunction()

tern_play_example(ball -- "the ball is Ben's" "is too late" "All see the same ball.")
tern_play_example(chat -- "Everybody has read all lines, in order."
                  "Ben whispers to Ada: Cai has built a door" "the host answers Cai: 42"
                  "Ben may say 5 of 100 lines at once" "a call of Ben failed"
                  "Each call has had one outcome.")
tern_play_example(lobby -- "Mallory stays out: The host refused: The password is wrong."
                  "the match begins with 3 players" "Ada welcomes Dan"
                  "Eve stays out: The session is full." "the process of Ada dies"
                  "Ben is the host now" "Ben welcomes Eve" "The match outlived its host.")
tern_play_example(big_world -- "without interest management" "with interest management"
                  "The player sees what is near for a fraction of the bytes.")
tern_play_example(arena -- "knocks out" "the server ignored" "The server has decided everything.")
tern_script_example(ships $<TARGET_FILE:example_ships>)
if(TARGET tern-sim)
  tern_script_example(recording $<TARGET_FILE:example_recording> $<TARGET_FILE:tern-sim>)
endif()
if(TARGET example_game_test)
  tern_play_example(game_test -- "EachCoinHasOneOwnerAndAllSeeThat/9" "[  PASSED  ] 14 tests.")
endif()
if(TARGET tern-peer)
  tern_script_example(reload $<TARGET_FILE:tern-peer>)
endif()
if(TARGET tern-host AND TERN_LUA)
  tern_script_example(dedicated $<TARGET_FILE:tern-host> $<TARGET_FILE:tern-ctl>
                      $<TARGET_FILE:example_dedicated>)
endif()
if(TARGET example_sdl)
  tern_script_example(sdl $<TARGET_FILE:example_sdl>)
endif()
