# Lua for tern: finds the Luas, and makes the module for each (lua_bindings/), and what runs game
# scripts (scripts/). Leaves tern_lua_library: what programs link beside; lua_other: the other Lua,
# as luajit or lua54; lua_modules: "suffix:lua" of the modules that have tests.

# --- Which Lua. The module takes headers alone: who loads it brings its own Lua; tests and programs
# that embed it link the library, too. ---
if(PkgConfig_FOUND)
  pkg_check_modules(luajit IMPORTED_TARGET luajit)
  pkg_check_modules(lua54 IMPORTED_TARGET lua5.4)
endif()
set(TERN_LUA_SOURCE "" CACHE PATH "Folder of an unpacked Lua 5.4, which then is built here")
if(TERN_LUA_SOURCE AND NOT EXISTS ${TERN_LUA_SOURCE}/src/lapi.c)
  message(FATAL_ERROR "TERN_LUA_SOURCE is ${TERN_LUA_SOURCE}, expected the folder of a Lua 5.4 "
                      "release (it has no src/lapi.c)")
elseif(TERN_LUA_SOURCE AND TARGET PkgConfig::lua54)
  message(STATUS "TERN_LUA_SOURCE is not used: pkg-config finds Lua 5.4")
elseif(TERN_LUA_SOURCE)
  enable_language(C)
  file(GLOB sources ${TERN_LUA_SOURCE}/src/*.c)
  list(FILTER sources EXCLUDE REGEX "/luac?\\.c$") # Its programs.
  add_library(tern_lua_source STATIC EXCLUDE_FROM_ALL ${sources})
  target_compile_options(tern_lua_source PRIVATE -w -O2)
  target_include_directories(tern_lua_source SYSTEM PUBLIC ${TERN_LUA_SOURCE}/src)
  set(lua54_INCLUDE_DIRS ${TERN_LUA_SOURCE}/src)
  add_library(PkgConfig::lua54 ALIAS tern_lua_source)
endif()
if(NOT PROJECT_IS_TOP_LEVEL)
  set(lua_found off)
elseif(TARGET PkgConfig::luajit)
  set(lua_found luajit)
elseif(TARGET PkgConfig::lua54)
  set(lua_found 5.4)
else()
  set(lua_found off)
endif()
set(TERN_LUA_HEADERS "" CACHE PATH "lua.h of another Lua (also of 5.1), for the loadable module")
set(TERN_LUA_DIR "" CACHE PATH "Where the loadable module is installed; then nothing else is")
if(TERN_LUA_HEADERS)
  set(lua_found 5.4)
endif()
set(TERN_LUA ${lua_found} CACHE STRING "The Lua of the Lua module: luajit, 5.4 or off")
set_property(CACHE TERN_LUA PROPERTY STRINGS luajit 5.4 off)
set(lua_luajit luajit)
set(lua_5.4 lua54)
if(NOT TERN_LUA AND PROJECT_IS_TOP_LEVEL)
  message(STATUS "The Lua module is not built: it needs LuaJIT or Lua 5.4, and TERN_LUA")
elseif(TERN_LUA AND NOT DEFINED lua_${TERN_LUA})
  message(FATAL_ERROR "TERN_LUA is ${TERN_LUA}, expected luajit, 5.4 or off")
elseif(TERN_LUA AND NOT TERN_LUA_HEADERS AND NOT TARGET PkgConfig::${lua_${TERN_LUA}})
  message(FATAL_ERROR "TERN_LUA is ${TERN_LUA}, but pkg-config does not find it "
                      "(Debian: libluajit-5.1-dev or liblua5.4-dev; or TERN_LUA_SOURCE)")
endif()

# --- The module, once for each Lua: tern_lua for TERN_LUA, and tern_lua54 or tern_luajit for the
# other, if it is there, for tests and for installation. Each also as what `require` loads. ---
file(GLOB lua_sources CONFIGURE_DEPENDS lua_bindings/*.cpp)
list(FILTER lua_sources EXCLUDE REGEX "/loadable\\.cpp$")
list(PREPEND lower tern_enet tern_udp)
function(tern_loadable suffix)
  add_library(tern_${suffix}_loadable MODULE lua_bindings/loadable.cpp)
  # One symbol is seen: whoever loads it may have another tern inside.
  set(symbols ${PROJECT_SOURCE_DIR}/lua_bindings/loadable.symbols)
  set_target_properties(tern_${suffix}_loadable PROPERTIES
    PREFIX "" OUTPUT_NAME tern CXX_EXTENSIONS OFF LINK_DEPENDS ${symbols}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${suffix})
  if(APPLE)
    target_link_options(tern_${suffix}_loadable PRIVATE -undefined dynamic_lookup
                        -Wl,-exported_symbol,_luaopen_tern)
  else()
    target_link_options(tern_${suffix}_loadable PRIVATE -Wl,--version-script=${symbols})
  endif()
  target_link_libraries(tern_${suffix}_loadable PRIVATE tern_house tern_${suffix} ${lower})
endfunction()
function(tern_lua_module suffix lua)
  tern_module(${suffix} ${lua_sources})
  target_include_directories(tern_${suffix} SYSTEM PUBLIC ${${lua}_INCLUDE_DIRS})
  # Such a module would need the DLL of a Lua on Windows.
  if(NOT WIN32)
    tern_loadable(${suffix})
  endif()
  list(APPEND lua_modules ${suffix}:${lua}) # Of those that have tests.
  set(lua_modules ${lua_modules} PARENT_SCOPE)
endfunction()
if(TERN_LUA AND TERN_LUA_HEADERS)
  set(headers_INCLUDE_DIRS ${TERN_LUA_HEADERS})
  tern_lua_module(lua headers)
  set(lua_modules "")
elseif(TERN_LUA)
  tern_lua_module(lua ${lua_${TERN_LUA}})
  set(tern_lua_library PkgConfig::${lua_${TERN_LUA}}) # For programs.
  if(TERN_BUILD_TESTS OR TERN_INSTALL)
    set(lua_other luajit)
    if(TERN_LUA STREQUAL "luajit")
      set(lua_other lua54)
    endif()
    if(TARGET PkgConfig::${lua_other} AND TERN_BUILD_TWINS)
      tern_lua_module(${lua_other} ${lua_other})
    endif()
  endif()
endif()

# --- scripts/: what runs game scripts, for programs and tests of either Lua. Who links it links the
# Lua and the module, too. ---
file(GLOB scripts_sources CONFIGURE_DEPENDS scripts/*.cpp)
function(tern_scripts_library name lua)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${scripts_sources})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  tern_unity(${name})
  target_link_libraries(${name} PRIVATE tern_house)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_include_directories(${name} SYSTEM PUBLIC ${${lua}_INCLUDE_DIRS})
endfunction()
if(TERN_LUA AND NOT TERN_LUA_HEADERS AND
   (TERN_BUILD_PROGRAMS OR TERN_BUILD_TESTS OR TERN_FUZZ))
  tern_scripts_library(tern_scripts ${lua_${TERN_LUA}})
endif()
if(TARGET tern_${lua_other} AND TERN_BUILD_TESTS) # Both play in one session, in tests.
  tern_scripts_library(tern_scripts_${lua_other} ${lua_other})
endif()
