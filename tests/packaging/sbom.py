"""Checks what packaging/sbom.py prints: the fields that SPDX 2.3 requires, references that lead
somewhere, the same text each time, and every library that CMake looks for."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
if not shutil.which("git") or not (root / ".git").exists():
    print("skipped: needs git and a clone")
    sys.exit(77)
script = [sys.executable, str(root / "packaging/sbom.py")]
text = subprocess.run(script, check=True, capture_output=True, text=True).stdout
assert text == subprocess.run(script, check=True, capture_output=True, text=True).stdout
bill = json.loads(text)

required = ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo",
            "packages", "files", "relationships"]
assert all(bill.get(name) for name in required), required
assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"])
assert re.match(r"(https?|urn):[^#\s]+$", bill["documentNamespace"])

for package in bill["packages"]:
    for name in ["SPDXID", "name", "downloadLocation", "licenseConcluded", "licenseDeclared",
                 "copyrightText"]:
        assert package.get(name), (package, name)
for file in bill["files"]:
    assert file["fileName"].startswith("./") and file["licenseConcluded"], file
    assert file["checksums"][0]["algorithm"] == "SHA1", file
licence = next(file for file in bill["files"] if file["fileName"] == "./LICENSE")
content = (root / "LICENSE").read_bytes()
assert licence["checksums"][1]["checksumValue"] == hashlib.sha256(content).hexdigest()

identifiers = [bill["SPDXID"]] + [each["SPDXID"] for each in bill["packages"] + bill["files"]]
assert len(identifiers) == len(set(identifiers)), "an identifier stands for two things"
assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in identifiers)
for relation in bill["relationships"]:
    assert relation["spdxElementId"] in identifiers, relation
    assert relation["relatedSpdxElement"] in identifiers, relation
described = {relation["spdxElementId"] for relation in bill["relationships"]}
assert all(package["SPDXID"] in described for package in bill["packages"][1:])

# Names that CMake has for them, where they differ.
names = {"GTest": "GoogleTest", "nlohmann_json": "JSON for Modern C++", "tomlplusplus": "toml++",
         "httplib": "cpp-httplib", "lua54": "Lua", "luajit": "LuaJIT", "natpmp": "libnatpmp",
         "libenet": "ENet"}
libraries = {package["name"] for package in bill["packages"]}
cmake = "\n".join(path.read_text() for path in
                  [root / "CMakeLists.txt", *sorted((root / "cmake").glob("*.cmake"))])
looked_for = re.findall(r"find_package\((\w+) REQUIRED|pkg_check_modules\((\w+) IMPORTED|"
                        r"find_library\(\w+ (\w+)\)|tern_find_library\(tern::(\w+)", cmake)
looked_for = {name for group in looked_for for name in group if name} - {"Threads"}
assert len(looked_for) >= 10, looked_for
for name in looked_for:
    assert names.get(name, name) in libraries, f"packaging/sbom.py does not name {name}"
print(f"sbom: {len(bill['files'])} files, {len(libraries)} packages, all fields are there")
