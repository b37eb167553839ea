# Finds the libraries that tern links, under one name whatever the packager called them. Used by
# tern's own build and, installed beside it, by find_package(tern).
#
#   tern::libsodium   the core
#   tern::libenet     tern::enet

# Makes the target `name` of the first that exists: one of the package/target pairs in ARGN
# (CMake packages of vcpkg and Conan), else `module` of pkg-config.
function(tern_find_library name module)
  if(TARGET ${name})
    return()
  endif()
  set(found "")
  set(candidates ${ARGN})
  while(candidates AND NOT found)
    list(POP_FRONT candidates package target)
    find_package(${package} CONFIG QUIET)
    if(TARGET ${target})
      set(found ${target})
      get_target_property(alias ${target} ALIASED_TARGET)
      get_target_property(imported ${target} IMPORTED)
      if(imported AND NOT alias)
        set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
      endif()
    endif()
  endwhile()
  if(NOT found)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(tern_${module} QUIET IMPORTED_TARGET GLOBAL ${module})
      if(TARGET PkgConfig::tern_${module})
        set(found PkgConfig::tern_${module})
      endif()
    endif()
  endif()
  if(found)
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES INTERFACE_LINK_LIBRARIES ${found})
  endif()
endfunction()

macro(tern_find_libsodium)
  tern_find_library(tern::libsodium libsodium
                    unofficial-sodium unofficial-sodium::sodium libsodium libsodium::libsodium)
endmacro()

macro(tern_find_libenet)
  tern_find_library(tern::libenet libenet unofficial-enet unofficial::enet::enet enet enet::enet)
endmacro()
