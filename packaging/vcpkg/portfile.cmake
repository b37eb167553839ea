# Builds tern of this repository as a port of vcpkg:
#     vcpkg install tern --overlay-ports=packaging/vcpkg --no-binarycaching
# vcpkg's cache of binaries looks at this folder only, and not at the source beside it.
# In a registry of its own it takes an archive of packaging/release.sh in place of the folder.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    enet TERN_ENET
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${features}
        -DTERN_INSTALL=ON
        -DTERN_LUA=off
        -DTERN_MAP=OFF
        -DTERN_HOST=OFF
        -DTERN_BUILD_TESTS=OFF
        -DTERN_BUILD_PROGRAMS=OFF
        -DTERN_BUILD_EXAMPLES=OFF
        -DTERN_BUILD_BENCH=OFF
        -DTERN_BUILD_BINDINGS=OFF
        -DTERN_BUILD_TWINS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tern CONFIG_PATH lib/cmake/tern)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/tern")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
