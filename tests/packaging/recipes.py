"""Runs the vcpkg port and the Conan recipe with stand-ins for these tools, which are not needed:
their version is CMake's, and CMake configures what they name, with all of their options.
    recipes.py WORK_FOLDER"""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import types

root = pathlib.Path(__file__).resolve().parent.parent.parent
work = pathlib.Path(sys.argv[1]).resolve()
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
cmake_text = (root / "CMakeLists.txt").read_text()
version = re.search(r"^project\(tern VERSION ([0-9.]+)", cmake_text, re.M).group(1)


# CMake must use each option.
def configure(source, build, options):
    run = subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, *options],
                         capture_output=True, text=True)
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    assert "not used by the project" not in said, said


# --- vcpkg ---

# Each of its functions prints its name and its arguments.
stand_in = """
foreach(name check_features cmake_configure cmake_install cmake_config_fixup fixup_pkgconfig
             install_copyright)
  cmake_language(EVAL CODE "function(vcpkg_${name})\\n  message(\\"${name};\\${ARGN}\\")
endfunction()")
endforeach()
set(CURRENT_PACKAGES_DIR "${WORK}/package")
set(features -DTERN_ENET=OFF)
include("${PORT}/portfile.cmake")
if(NOT EXISTS "${SOURCE_PATH}/LICENSE")
  message(FATAL_ERROR "SOURCE_PATH is ${SOURCE_PATH}")
endif()
file(READ "${PORT}/usage" usage)
"""


def check_vcpkg():
    port = root / "packaging/vcpkg"
    manifest = json.loads((port / "vcpkg.json").read_text())
    assert manifest["name"] == "tern" and manifest["version-semver"] == version, manifest
    assert manifest["license"] == "MIT"
    assert re.search(rf'DESCRIPTION "{manifest["description"]}"', cmake_text)
    names = [each if isinstance(each, str) else each["name"] for each in manifest["dependencies"]]
    assert {"libsodium", "vcpkg-cmake", "vcpkg-cmake-config"} == set(names)
    (work / "port.cmake").write_text(stand_in)
    run = subprocess.run(["cmake", f"-DPORT={port}", f"-DWORK={work}", "-P", "port.cmake"],
                         cwd=work, check=True, capture_output=True, text=True)
    called = [line.split(";") for line in run.stderr.splitlines() if ";" in line]
    features = next(call for call in called if call[0] == "check_features")
    assert features[1:3] == ["OUT_FEATURE_OPTIONS", "features"], features
    mapped = dict(zip(features[4::2], features[5::2]))
    assert mapped.keys() == manifest["features"].keys(), mapped
    options = next(call for call in called if call[0] == "cmake_configure")
    options = [each for each in options if each.startswith("-D")]
    configure(root, work / "vcpkg-build", options)


# --- Conan ---

calls = []


class StandIn:
    """Takes any attribute and any call, and notes calls."""

    def __init__(self, name="", *_):
        self._name = name if isinstance(name, str) else type(self).__name__
        self.cache_variables = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **_: calls.append((name, *arguments))


class Toolchain(StandIn):
    def generate(self):
        calls.append(("options", self.cache_variables))


class Component:
    def __init__(self):
        self.properties = {}

    def set_property(self, name, value):
        self.properties[name] = value


class Components(dict):
    def __missing__(self, name):
        return self.setdefault(name, Component())


# Patterns are a file, or a folder with all that is in it.
def copy(_, pattern, source, destination):
    source = pathlib.Path(source)
    folder = pattern.removesuffix("/*")
    found = (source / folder).rglob("*") if folder != pattern else [source / pattern]
    for path in filter(pathlib.Path.is_file, found):
        target = pathlib.Path(destination) / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def pretend_conan():
    contents = {
        "conan": {"ConanFile": StandIn},
        "conan.tools": {},
        "conan.tools.build": {"check_min_cppstd": lambda _, least: calls.append(("std", least)),
                              "can_run": lambda _: True},
        "conan.tools.cmake": {"CMake": StandIn, "CMakeDeps": StandIn, "CMakeToolchain": Toolchain,
                              "cmake_layout": lambda _: None},
        "conan.tools.files": {"copy": copy,
                              "load": lambda _, path: pathlib.Path(path).read_text()},
    }
    for name, members in contents.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module


def recipe(path):
    spec = importlib.util.spec_from_file_location("recipe", root / "packaging/conan" / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_conan():
    pretend_conan()
    made = recipe("conanfile.py").TernConan()
    made.options = types.SimpleNamespace(enet=False, shared=False)
    made.settings = types.SimpleNamespace(os="Linux")
    made.cpp_info = types.SimpleNamespace(components=Components(), set_property=lambda *_: None)
    made.export_sources_folder = made.source_folder = str(work / "conan-source")
    made.package_folder = str(work / "conan-package")
    made.set_version()
    assert made.version == version
    for step in [made.export_sources, made.requirements, made.validate, made.layout,
                 made.generate, made.build, made.package, made.package_info]:
        step()
    done = [call[0] for call in calls]
    assert ("std", 20) in calls and done.index("configure") < done.index("build")
    assert done.index("build") < done.index("install")
    assert (work / "conan-package/licenses/LICENSE").is_file()
    options = next(call[1] for call in calls if call[0] == "options")
    configure(made.source_folder, work / "conan-build",
              [f"-D{name}={'ON' if value is True else value or 'OFF'}"
               for name, value in options.items()])
    # Each library is one that CMake makes, with its name after tern::.
    for name, part in made.cpp_info.components.items():
        library = part.libs[0].replace("tern_", "tern_public_")
        target = part.properties["cmake_target_name"].removeprefix("tern::")
        assert f"tern_library({library} {target} " in cmake_text, (name, library, target)
    tried = recipe("test_package/conanfile.py").TernTestConan()
    tried.build()


# Other files that have the version.
def check_versions():
    for path in ["bindings/csharp/package.json", "bindings/javascript/package.json"]:
        assert json.loads((root / path).read_text())["version"] == version, path
    for path in ["bindings/rust/tern/Cargo.toml", "bindings/rust/tern-sys/Cargo.toml"]:
        assert f'\nversion = "{version}"\n' in (root / path).read_text(), path
    soname = "libtern" + ".".join(version.split(".")[:2])
    assert f"\nPackage: {soname}\n" in (root / "packaging/debian/control").read_text(), soname


check_versions()
check_vcpkg()
check_conan()
shutil.rmtree(work)
print("recipes: the port of vcpkg and the recipe of Conan fit version", version)
