"""Conan 2 recipe of tern, for the tree that it lies in: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class TernConan(ConanFile):
    name = "tern"
    description = "Replicates game objects between peers and lets any object change owner"
    license = "MIT"
    topics = ("game", "network", "replication", "p2p")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "enet": [True, False]}
    default_options = {"shared": False, "fPIC": True, "enet": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, os.path.join(top, "CMakeLists.txt"))
        self.version = re.search(r"^project\(tern VERSION ([0-9.]+)", text, re.M).group(1)

    def export_sources(self):
        folders = ["base", "transport", "replication", "migration", "rpc", "session", "discovery",
                   "sim", "lua_bindings", "include", "cmake"]
        for folder in folders:
            copy(self, folder + "/*", top, self.export_sources_folder)
        for file in ["CMakeLists.txt", "LICENSE"]:
            copy(self, file, top, self.export_sources_folder)

    def requirements(self):
        self.requires("libsodium/[>=1.0.18 <2]")
        if self.options.enet:
            self.requires("enet/[>=1.3.17 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TERN_INSTALL"] = True
        toolchain.cache_variables["TERN_ENET"] = bool(self.options.enet)
        toolchain.cache_variables["TERN_LUA"] = "off"
        for part in ["TESTS", "PROGRAMS", "EXAMPLES", "BENCH", "BINDINGS", "TWINS"]:
            toolchain.cache_variables["TERN_BUILD_" + part] = False
        for part in ["MAP", "HOST"]:
            toolchain.cache_variables["TERN_" + part] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tern")
        needs = {"core": ["libsodium::libsodium"], "udp": ["core"], "sim": ["udp"],
                 "enet": ["udp"]}
        if self.options.enet:
            needs["enet"].append("enet::enet")
        for name, requires in needs.items():
            part = self.cpp_info.components[name]
            target = "tern" if name == "core" else name
            part.set_property("cmake_target_name", "tern::" + target)
            part.set_property("pkg_config_name", "tern" if name == "core" else "tern-" + name)
            part.libs = ["tern" if name == "core" else "tern_" + name]
            part.requires = requires
        if self.settings.os == "Windows":
            self.cpp_info.components["udp"].system_libs = ["ws2_32", "iphlpapi"]
        elif self.settings.os in ["Linux", "FreeBSD"]:
            self.cpp_info.components["core"].system_libs = ["m"]
            self.cpp_info.components["udp"].system_libs = ["pthread"]
