# Installation: headers, libraries, a CMake package, pkg-config files. `cmake --install <folder>
# --component <name>` installs a part of it, of which packages are made (packaging/):
#
#   runtime       the shared libraries, by their sonames
#   development   headers, static libraries or the links to shared ones, CMake package, pkg-config
#   tools         the programs
#   lua           the modules that `require "tern"` loads

set(tern_components
    RUNTIME COMPONENT runtime LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)

function(tern_pkgconfig name library description)
  cmake_parse_arguments(arg "" "" "REQUIRES;REQUIRES_PRIVATE;LIBS_PRIVATE" ${ARGN})
  set(pc_name ${name})
  set(pc_library ${library})
  set(pc_description ${description})
  list(JOIN arg_REQUIRES ", " pc_requires)
  list(JOIN arg_REQUIRES_PRIVATE ", " pc_requires_private)
  list(JOIN arg_LIBS_PRIVATE " " pc_libs_private)
  foreach(dir LIBDIR INCLUDEDIR)
    string(TOLOWER ${dir} lowercase)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
      set(pc_${lowercase} "${CMAKE_INSTALL_${dir}}")
    else()
      set(pc_${lowercase} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
  endforeach()
  # Relative to where the file lies, so that the prefix may be moved.
  file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(cmake/tern.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()

if(TERN_LUA_DIR)
  install(TARGETS tern_lua_loadable LIBRARY DESTINATION ${TERN_LUA_DIR} COMPONENT lua)
  return()
endif()

# All four, or nothing to install yet.
if(TERN_INSTALL AND TARGET tern::tern AND TARGET tern::udp AND TARGET tern::enet
   AND TARGET tern::sim)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tern)
  install(DIRECTORY include/tern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
          PATTERN .clang-format EXCLUDE)
  install(TARGETS tern tern_public_udp tern_public_sim EXPORT ternTargets ${tern_components})
  set(tern_carries_libsodium OFF)
  if(TERN_SODIUM_SOURCE)
    set(tern_carries_libsodium ON)
    install(TARGETS tern_sodium EXPORT ternTargets ${tern_components})
  endif()
  install(EXPORT ternTargets NAMESPACE tern:: DESTINATION ${package_dir}
          COMPONENT development)
  # In a set of its own: it alone needs ENet's library, which others may not have.
  install(TARGETS tern_public_enet EXPORT ternEnetTargets ${tern_components})
  install(EXPORT ternEnetTargets NAMESPACE tern:: DESTINATION ${package_dir}
          COMPONENT development)
  if(TARGET tern::lua AND TARGET tern_lua_loadable)
    install(TARGETS tern_public_lua EXPORT ternLuaTargets ${tern_components})
    install(EXPORT ternLuaTargets NAMESPACE tern:: DESTINATION ${package_dir}
            COMPONENT development)
    set(version_of_luajit 5.1) # LuaJIT loads modules for this version of Lua.
    set(version_of_lua54 5.4)
    install(TARGETS tern_lua_loadable
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lua/${version_of_${lua_${TERN_LUA}}}
            COMPONENT lua)
    if(TARGET tern_${lua_other}_loadable)
      install(TARGETS tern_${lua_other}_loadable
              LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lua/${version_of_${lua_other}}
              COMPONENT lua)
    endif()
  endif()
  if(TARGET tern_c)
    install(TARGETS tern_c ${tern_components})
  endif()
  configure_package_config_file(cmake/ternConfig.cmake.in ternConfig.cmake
                                INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(ternConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/ternConfig.cmake
                ${PROJECT_BINARY_DIR}/ternConfigVersion.cmake
                cmake/ternLibraries.cmake DESTINATION ${package_dir} COMPONENT development)

  if(TERN_SODIUM_SOURCE)
    set(sodium LIBS_PRIVATE -ltern_sodium)
  else()
    set(sodium REQUIRES_PRIVATE libsodium)
  endif()
  set(system_libraries "")
  if(WIN32)
    set(system_libraries LIBS_PRIVATE -lws2_32 -liphlpapi)
  endif()
  tern_pkgconfig(tern tern "${PROJECT_DESCRIPTION}" ${sodium})
  tern_pkgconfig(tern-udp tern_udp "UDP sockets and the clock for tern" REQUIRES tern
                 ${system_libraries})
  tern_pkgconfig(tern-sim tern_sim "A simulated network for tern" REQUIRES tern-udp)
  if(TERN_HAVE_ENET)
    tern_pkgconfig(tern-enet tern_enet "The ENet socket for tern"
                   REQUIRES tern-udp REQUIRES_PRIVATE libenet)
  endif()
endif()
