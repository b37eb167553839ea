# Tests, benchmarks, fuzz targets: they may use private headers.

option(TERN_RAPIDCHECK "rapidcheck for the tests that use it; else its stand-in" ON)

# tern_discover_tests(<program> <prefix of names> <properties ...>): ctest runs each test by itself,
# or, with sanitizers, each suite.
function(tern_discover_tests program prefix)
  if(TERN_SANITIZE)
    list(JOIN ARGN " " properties)
    set(list ${PROJECT_BINARY_DIR}/${program}_suites.cmake)
    file(GENERATE OUTPUT ${list} CONTENT
         "include(\"${PROJECT_SOURCE_DIR}/cmake/test_suites.cmake\")
tern_add_suites(\"$<TARGET_FILE:${program}>\" ${prefix} ${properties})\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list})
  else()
    gtest_discover_tests(${program} TEST_PREFIX ${prefix} DISCOVERY_MODE PRE_TEST
                         PROPERTIES ${ARGN})
  endif()
endfunction()

function(tern_test module)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${module}/*.cpp)
  if(NOT sources)
    return()
  endif()
  tern_test_executable(test_${module} ${sources})
  target_compile_definitions(test_${module} PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${module} PRIVATE GTest::gtest_main rapidcheck)
  tern_link_modules(test_${module} ${ARGN})
  tern_discover_tests(test_${module} ${module}. LABELS ${module} TIMEOUT 900)
endfunction()

if(TERN_BUILD_TESTS)
  find_package(GTest REQUIRED)      # Debian: libgtest-dev.
  if(TERN_RAPIDCHECK)
    find_package(rapidcheck REQUIRED) # Debian: librapidcheck-dev.
  else()
    add_library(rapidcheck INTERFACE)
    target_include_directories(rapidcheck INTERFACE tests/platforms/stand_in)
    if(EMSCRIPTEN) # A death needs a process of its own, and exceptions are off by default.
      target_compile_definitions(rapidcheck INTERFACE EXPECT_DEATH=EXPECT_DEATH_IF_SUPPORTED)
      target_compile_options(rapidcheck INTERFACE -fexceptions)
      target_link_options(rapidcheck INTERFACE -fexceptions)
    endif()
  endif()
  include(GoogleTest)
  enable_testing()
  tern_test(base base)
  tern_test(transport enet udp transport base)
  target_sources(test_transport PRIVATE ${PROJECT_SOURCE_DIR}/bench/pairs/shared_link.cpp)
  tern_test(replication replication base)
  tern_test(migration migration replication transport base)
  tern_test(sim ${all_modules})
  tern_test(discovery ${all_modules})
  tern_test(session ${all_modules}) # Over the simulated network, which is above them.
  tern_test(rpc ${all_modules})

  # ci/platforms.sh compares what it prints on each platform.
  tern_executable(one_world EXCLUDE_FROM_ALL tests/platforms/one_world.cpp)
  tern_link_modules(one_world ${all_modules})

  # The C interface is tried from C, with what is installed only.
  enable_language(C)
  file(GLOB sources CONFIGURE_DEPENDS tests/c_interface/*.c)
  tern_c_executable(test_c_interface ${sources})
  target_include_directories(test_c_interface PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME surface.c COMMAND test_c_interface)
  add_test(NAME surface.c_compilers
           COMMAND ${PROJECT_SOURCE_DIR}/tests/c_interface/compile.sh ${PROJECT_SOURCE_DIR})
  add_test(NAME surface.c_symbols
           COMMAND ${PROJECT_SOURCE_DIR}/tests/c_interface/symbols.sh
                   ${PROJECT_SOURCE_DIR}/include/tern
                   $<TARGET_FILE:tern> $<TARGET_FILE:tern_public_udp>)
  set(shared tern)
  if(NOT BUILD_SHARED_LIBS AND NOT EMSCRIPTEN) # The objects are the same ones.
    set(shared tern_linked_shared)
    add_library(tern_linked_shared SHARED ${core_objects})
    set_target_properties(tern_linked_shared PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(tern_linked_shared PRIVATE tern::libsodium)
    tern_exports_c_only(tern_linked_shared)
  endif()
  add_test(NAME surface.c_exports
           COMMAND ${PROJECT_SOURCE_DIR}/tests/c_interface/exports.sh $<TARGET_FILE:${shared}>)
  set_tests_properties(surface.c surface.c_compilers surface.c_symbols surface.c_exports PROPERTIES
                       LABELS surface TIMEOUT 120)

  if(TERN_LUA)
    include(cmake/lua_tests.cmake)
  endif()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/programs/*.cpp)
  if(sources AND program_parts)
    tern_test_executable(test_programs ${sources})
    tern_user_target(test_programs)
    target_include_directories(test_programs PRIVATE ${PROJECT_SOURCE_DIR} programs)
    target_compile_definitions(test_programs PRIVATE
      TERN_PROGRAMS_DIR="$<TARGET_FILE_DIR:tern-find>")
    add_dependencies(test_programs tern-demo tern-find tern-prof) # Its tests start them.
    if(TARGET tern-map)
      add_dependencies(test_programs tern-map)
      target_compile_definitions(test_programs PRIVATE TERN_HAVE_MAP)
    endif()
    if(TARGET ctl_parts)
      target_compile_definitions(test_programs PRIVATE TERN_HAVE_CTL)
    endif()
    target_link_libraries(test_programs PRIVATE
      ${program_parts} program_common GTest::gtest_main rapidcheck)
    tern_discover_tests(test_programs programs. LABELS programs)
    add_test(NAME programs.two_machines
             COMMAND ${PROJECT_SOURCE_DIR}/tests/programs/two_machines.sh
                     $<TARGET_FILE_DIR:tern-find>)
    set_tests_properties(programs.two_machines PROPERTIES LABELS programs TIMEOUT 120
                                                          SKIP_RETURN_CODE 77)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/host/*.cpp)
  if(sources AND TARGET tern-host)
    tern_test_executable(test_host ${sources})
    tern_user_target(test_host)
    target_include_directories(test_host PRIVATE ${PROJECT_SOURCE_DIR} programs)
    target_compile_definitions(test_host PRIVATE TERN_PROGRAMS_DIR="$<TARGET_FILE_DIR:tern-host>"
                                                 TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(test_host tern-host tern-ctl tern-bot) # Its tests start them.
    if(TARGET tern_scripts)
      target_compile_definitions(test_host PRIVATE TERN_HAVE_LUA)
      add_dependencies(test_host tern-peer)
    endif()
    if(TARGET PkgConfig::libedit)
      target_compile_definitions(test_host PRIVATE TERN_HAVE_LIBEDIT)
    endif()
    target_link_libraries(test_host PRIVATE host_parts bot_parts program_common GTest::gtest_main)
    tern_discover_tests(test_host host. LABELS host TIMEOUT 600)
    set(load ${PROJECT_SOURCE_DIR}/tests/host/load.sh --programs $<TARGET_FILE_DIR:tern-host>)
    add_test(NAME host.load COMMAND ${load} --seconds 15)
    add_test(NAME host.load_kill COMMAND ${load} --seconds 15 --count 32 --kill)
    set_tests_properties(host.load host.load_kill PROPERTIES
                         LABELS host TIMEOUT 300 PROCESSORS 2 SKIP_RETURN_CODE 77)
    add_test(NAME host.unit COMMAND ${PROJECT_SOURCE_DIR}/tests/host/unit.sh ${PROJECT_SOURCE_DIR}
                                    $<TARGET_FILE:tern-host>)
    set_tests_properties(host.unit PROPERTIES LABELS host TIMEOUT 120 SKIP_RETURN_CODE 77)
  endif()
  if(TARGET example_hello)
    add_test(NAME example.hello COMMAND example_hello)
    add_test(NAME example.hello_c COMMAND example_hello_c)
    set_tests_properties(example.hello example.hello_c PROPERTIES LABELS examples TIMEOUT 60)
    set_tests_properties(example.hello PROPERTIES
                         PASS_REGULAR_EXPRESSION "Ada sees that the lamp is off")
    add_test(NAME example.film COMMAND ${PROJECT_SOURCE_DIR}/tests/film.sh
                                       $<TARGET_FILE:example_film>)
    set_tests_properties(example.film PROPERTIES LABELS examples TIMEOUT 60)
    add_test(NAME example.tutorial_alone COMMAND example_tutorial_alone)
    add_test(NAME example.tutorial COMMAND ${PROJECT_SOURCE_DIR}/tests/tutorial.sh
                                           $<TARGET_FILE:example_tutorial>)
    set_tests_properties(example.tutorial_alone example.tutorial PROPERTIES
                         LABELS examples TIMEOUT 200)
    include(cmake/example_tests.cmake)
  endif()

  # Other languages meet a host in C++. Their processes do not load a library with sanitizers.
  if(TARGET tern_c AND TARGET example_meet AND NOT TERN_SANITIZE AND NOT TERN_FUZZ)
    set(bindings ${PROJECT_SOURCE_DIR}/bindings)
    set(meet_by ${PROJECT_SOURCE_DIR}/tests/bindings/meet.sh)
    set(meet ${meet_by} $<TARGET_FILE:example_meet>)
    set(environment "TERN_LIBRARY=$<TARGET_FILE:tern_c>" "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:tern_c>"
        "PYTHONPATH=${bindings}/python" "LUA_CPATH=${PROJECT_BINARY_DIR}/lua/?.so")
    find_program(TERN_PYTHON python3)
    if(TERN_PYTHON)
      add_test(NAME bindings.python
               COMMAND ${TERN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/bindings/python_test.py)
      add_test(NAME bindings.python_meets
               COMMAND ${meet} ${TERN_PYTHON} ${bindings}/python/meet.py)
      list(APPEND tests bindings.python bindings.python_meets)
    endif()
    find_program(TERN_MCS mcs) # Debian: mono-mcs, with mono-runtime.
    find_program(TERN_MONO mono)
    if(TERN_MCS AND TERN_MONO)
      add_test(NAME bindings.csharp COMMAND ${PROJECT_SOURCE_DIR}/tests/bindings/csharp.sh
               ${PROJECT_BINARY_DIR} ${meet})
      list(APPEND tests bindings.csharp)
    endif()
    find_program(TERN_CARGO cargo) # With Rust 1.63 or later.
    if(TERN_CARGO)
      add_test(NAME bindings.rust COMMAND ${PROJECT_SOURCE_DIR}/tests/bindings/rust.sh
               ${PROJECT_BINARY_DIR} ${meet})
      list(APPEND tests bindings.rust)
      list(APPEND environment "CARGO=${TERN_CARGO}" "TERN_LIB_DIR=$<TARGET_FILE_DIR:tern_c>")
    endif()
    find_program(TERN_LOVE love)
    find_program(TERN_XVFB xvfb-run)
    if(TERN_LOVE AND TERN_XVFB AND TERN_LUA STREQUAL "luajit")
      add_test(NAME bindings.love_meets COMMAND ${meet} ${TERN_XVFB} -a ${TERN_LOVE}
               ${PROJECT_SOURCE_DIR}/examples/love --meet)
      list(APPEND tests bindings.love_meets)
    endif()
    find_program(TERN_GODOT_SERVER godot3-server) # Godot without a window.
    if(TARGET tern_godot AND TERN_GODOT_SERVER)
      set(godot ${TERN_GODOT_SERVER} --path ${bindings}/godot -s)
      foreach(name godot godot_mistakes)
        add_test(NAME bindings.${name}
                 COMMAND ${godot} ${PROJECT_SOURCE_DIR}/tests/bindings/${name}_test.gd)
        list(APPEND tests bindings.${name})
      endforeach()
      add_test(NAME bindings.godot_meets COMMAND ${meet} ${godot} meet.gd)
      add_test(NAME bindings.godot_lamp
               COMMAND ${meet_by} ${PROJECT_SOURCE_DIR}/tests/bindings/godot_lamp.sh
                       ${godot} lamp.gd)
      list(APPEND tests bindings.godot_meets bindings.godot_lamp)
      # Godot keeps files of a project in XDG_DATA_HOME, and complains about the language C.
      list(APPEND environment "XDG_DATA_HOME=${PROJECT_BINARY_DIR}/godot" "LANG=en_US.UTF-8")
    endif()
    if(tests)
      set_tests_properties(${tests} PROPERTIES LABELS bindings TIMEOUT 60
                                               ENVIRONMENT "${environment}")
    endif()
    if(TERN_CARGO) # It compiles the crates.
      set_tests_properties(bindings.rust PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
    endif()
  endif()

  file(GLOB sources CONFIGURE_DEPENDS tests/*.cpp)
  if(sources)
    tern_test_executable(test_tidy ${sources})
    target_compile_definitions(test_tidy PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(test_tidy PRIVATE include) # natural_names.cpp.
    target_link_libraries(test_tidy PRIVATE tern_house GTest::gtest_main)
    tern_discover_tests(test_tidy tidy. LABELS tidy)
  endif()

  add_test(NAME tidy.house_checks
           COMMAND ${PROJECT_SOURCE_DIR}/tests/house_checks.sh ${CMAKE_CXX_COMPILER})
  add_test(NAME surface.mistakes COMMAND ${PROJECT_SOURCE_DIR}/tests/mistakes/mistakes.sh
           ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include)
  if(NOT TERN_SANITIZE)
    add_test(NAME packaging.amalgamation COMMAND
             ${PROJECT_SOURCE_DIR}/tests/packaging/amalgamation.sh ${CMAKE_CXX_COMPILER})
    set_tests_properties(packaging.amalgamation PROPERTIES LABELS packaging TIMEOUT 300)
  endif()
  find_program(TERN_PYTHON python3)
  if(TERN_PYTHON)
    add_test(NAME packaging.sbom
             COMMAND ${TERN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/packaging/sbom.py)
    add_test(NAME packaging.recipes
             COMMAND ${TERN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/packaging/recipes.py
                     ${PROJECT_BINARY_DIR}/recipes)
    set_tests_properties(packaging.sbom packaging.recipes PROPERTIES
                         LABELS packaging TIMEOUT 120 SKIP_RETURN_CODE 77)
  endif()
  add_test(NAME tidy.commit_subjects COMMAND ${PROJECT_SOURCE_DIR}/tests/commit_subjects.sh)
  add_test(NAME tidy.module_picture
           COMMAND ${PROJECT_SOURCE_DIR}/tests/module_picture.sh --check)
  set_tests_properties(surface.mistakes PROPERTIES LABELS surface TIMEOUT 120)
  set_tests_properties(tidy.house_checks tidy.commit_subjects tidy.module_picture PROPERTIES
                       LABELS tidy TIMEOUT 120 SKIP_RETURN_CODE 77)

  if(TARGET tern-sim)
    add_test(NAME page.steps
             COMMAND ${PROJECT_SOURCE_DIR}/tests/page/steps.sh $<TARGET_FILE:tern-sim>)
    set_tests_properties(page.steps PROPERTIES LABELS page TIMEOUT 120 SKIP_RETURN_CODE 77)
  endif()

  file(GLOB sources CONFIGURE_DEPENDS tests/mutants/*.cpp)
  if(sources AND TARGET tern_mutable)
    tern_test_executable(test_mutants ${sources})
    target_compile_definitions(test_mutants PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(test_mutants PRIVATE tern_mutable GTest::gtest_main rapidcheck)
    tern_discover_tests(test_mutants mutants. LABELS mutants TIMEOUT 900)
  endif()

  # Installs and uses the library in every way that there is; builds it four times, as fast as it
  # can.
  add_test(NAME consumer COMMAND ${PROJECT_SOURCE_DIR}/tests/consumer/try.sh ${PROJECT_SOURCE_DIR}
                                 ${PROJECT_BINARY_DIR}/consumer)
  set_tests_properties(consumer PROPERTIES LABELS slow TIMEOUT 1800 PROCESSORS 2)
endif()

if(TERN_BUILD_BENCH)
  # The bench compares tern with this ENet instead of the installed one: its functions come first
  # when tern-bench is linked. Folders of other systems than Unix are not looked at.
  set(TERN_BENCH_ENET_SOURCE "" CACHE PATH "Folder of ENet's source for tern-bench; empty: libenet")
  set(bench_enet ${libenet})
  if(TERN_BENCH_ENET_SOURCE)
    enable_language(C)
    file(GLOB sources ${TERN_BENCH_ENET_SOURCE}/*.c)
    add_library(bench_enet STATIC EXCLUDE_FROM_ALL ${sources})
    target_include_directories(bench_enet BEFORE PUBLIC ${TERN_BENCH_ENET_SOURCE}/include)
    target_compile_definitions(bench_enet PRIVATE
      HAS_FCNTL HAS_POLL HAS_GETADDRINFO HAS_GETNAMEINFO HAS_INET_PTON HAS_INET_NTOP
      HAS_MSGHDR_FLAGS HAS_SOCKLEN_T HAS_OFFSETOF)
    target_compile_options(bench_enet PRIVATE -w) # Warnings of others' code.
    set(bench_enet bench_enet)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS bench/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/bench/train/")
  if(sources)
    find_package(CLI11 REQUIRED) # Debian: libcli11-dev.
    tern_executable(tern-bench ${sources})
    tern_unity(tern-bench)
    find_package(nlohmann_json REQUIRED) # Debian: nlohmann-json3-dev.
    target_compile_definitions(tern-bench PRIVATE TERN_VERSION="${PROJECT_VERSION}")
    target_link_libraries(tern-bench PRIVATE
      CLI11::CLI11 nlohmann_json::nlohmann_json ${bench_enet})
    if(TERN_LUA)
      target_compile_definitions(tern-bench PRIVATE TERN_HAVE_LUA)
      target_link_libraries(tern-bench PRIVATE tern_lua ${tern_lua_library})
    endif()
    tern_link_modules(tern-bench ${all_modules})
    if(TERN_BUILD_TESTS)
      file(GLOB_RECURSE tests CONFIGURE_DEPENDS tests/bench/*.cpp)
      file(GLOB report CONFIGURE_DEPENDS bench/report/*.cpp)
      tern_test_executable(test_bench ${tests} ${report} bench/pairs/links.cpp bench/harness.cpp
        bench/rigid_cubes.cpp bench/surface/ages.cpp bench/surface/motions.cpp
        bench/surface/scene.cpp bench/surface/watch.cpp)
      target_compile_definitions(test_bench PRIVATE TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      target_link_libraries(test_bench PRIVATE nlohmann_json::nlohmann_json GTest::gtest_main)
      tern_link_modules(test_bench ${all_modules})
      tern_discover_tests(test_bench bench. LABELS bench)
    endif()
    # What makes replication/snapshot/coder_tables.cpp.
    file(GLOB sources CONFIGURE_DEPENDS bench/train/*.cpp)
    tern_executable(tern-train ${sources} bench/cubes_scene.cpp bench/rigid_cubes.cpp)
    set_target_properties(tern-train PROPERTIES EXCLUDE_FROM_ALL ON)
    tern_link_modules(tern-train replication base)
  endif()
endif()

# fuzz/<name>.cpp is a target: with the libFuzzer of clang to search, and in each build to replay
# what was found (tests/fuzz/).
file(GLOB sources CONFIGURE_DEPENDS fuzz/*.cpp)
file(GLOB support CONFIGURE_DEPENDS fuzz/support/*.cpp)
if(sources AND (TERN_FUZZ OR TERN_BUILD_TESTS))
  add_library(tern_fuzz_targets STATIC EXCLUDE_FROM_ALL ${sources} ${support})
  set_target_properties(tern_fuzz_targets PROPERTIES CXX_EXTENSIONS OFF)
  if(TARGET tern_scripts)
    target_compile_definitions(tern_fuzz_targets PRIVATE TERN_HAVE_LUA)
    target_link_libraries(tern_fuzz_targets PRIVATE tern_scripts tern_lua)
  endif()
  # What programs read from files, sockets and gateways.
  if(TARGET host_parts)
    target_compile_definitions(tern_fuzz_targets PRIVATE TERN_HAVE_HOST)
    target_link_libraries(tern_fuzz_targets PRIVATE host_parts ctl_parts)
  endif()
  if(TARGET map_parts)
    target_compile_definitions(tern_fuzz_targets PRIVATE TERN_HAVE_MAP)
    target_link_libraries(tern_fuzz_targets PRIVATE map_parts)
  endif()
  if(TARGET program_common)
    target_link_libraries(tern_fuzz_targets PRIVATE program_common)
  endif()
  tern_link_modules(tern_fuzz_targets ${all_modules})
  target_link_libraries(tern_fuzz_targets PRIVATE ${tern_lua_library})
endif()
if(sources AND TERN_FUZZ)
  # The comparisons that models and the explorer's memory make are no way to new inputs; to watch
  # them costs more than the rest of an input.
  foreach(library tern_fuzz_targets tern_sim)
    target_compile_options(${library} PRIVATE -fno-sanitize-coverage=trace-cmp)
  endforeach()
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    tern_executable(fuzz_${name} fuzz/entry/libfuzzer.cpp)
    target_compile_definitions(fuzz_${name} PRIVATE TERN_FUZZ_TARGET=fuzz_${name})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    tern_link_modules(fuzz_${name})
    target_link_libraries(fuzz_${name} PRIVATE tern_fuzz_targets)
    list(APPEND fuzz_programs fuzz_${name})
  endforeach()
  add_custom_target(fuzz_all DEPENDS ${fuzz_programs})
endif()
if(sources AND TERN_BUILD_TESTS)
  tern_test(fuzz)
  target_link_libraries(test_fuzz PRIVATE tern_fuzz_targets)
endif()
