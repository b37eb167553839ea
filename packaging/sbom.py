#!/usr/bin/env python3
"""Prints the bill of materials of tern's source as SPDX 2.3 in JSON: each file of the last commit
with its checksums, and the libraries that CMake looks for, with what each is for.

    packaging/sbom.py [--version VERSION] [--found]

--found adds the versions of those libraries that pkg-config finds here. The same commit gives the
same text: its time is that of the commit, or SOURCE_DATE_EPOCH."""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import uuid

root = pathlib.Path(__file__).resolve().parent.parent

# Name, licence, what it is to tern, its module of pkg-config, what for.
dependencies = [
    ("libsodium", "ISC", "DEPENDENCY_OF", "libsodium", "encryption; the core needs nothing else"),
    ("ENet", "MIT", "OPTIONAL_DEPENDENCY_OF", "libenet", "the socket tern::enet"),
    ("LuaJIT", "MIT", "OPTIONAL_DEPENDENCY_OF", "luajit", "the Lua module, game scripts"),
    ("Lua", "MIT", "OPTIONAL_DEPENDENCY_OF", "lua5.4", "the Lua module, game scripts"),
    ("libnatpmp", "BSD-3-Clause", "OPTIONAL_DEPENDENCY_OF", "", "tern-map"),
    ("miniupnpc", "BSD-3-Clause", "OPTIONAL_DEPENDENCY_OF", "miniupnpc", "tern-map"),
    ("cpp-httplib", "MIT", "OPTIONAL_DEPENDENCY_OF", "cpp-httplib", "tern-host"),
    ("toml++", "MIT", "OPTIONAL_DEPENDENCY_OF", "tomlplusplus", "tern-host, tern-bot"),
    ("libedit", "BSD-3-Clause", "OPTIONAL_DEPENDENCY_OF", "libedit", "the lines of consoles"),
    ("CLI11", "BSD-3-Clause", "OPTIONAL_DEPENDENCY_OF", "CLI11", "the options of programs"),
    ("JSON for Modern C++", "MIT", "OPTIONAL_DEPENDENCY_OF", "nlohmann_json",
     "the output of programs"),
    ("GoogleTest", "BSD-3-Clause", "TEST_DEPENDENCY_OF", "gtest", "tests"),
    ("rapidcheck", "BSD-2-Clause", "TEST_DEPENDENCY_OF", "", "tests"),
]


def output(*command):
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def project_version():
    text = (root / "CMakeLists.txt").read_text()
    return re.search(r"^project\(tern VERSION ([0-9.]+)", text, re.M).group(1)


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")


def file_entry(path):
    content = (root / path).read_bytes()
    return {
        "SPDXID": "SPDXRef-File-" + hashlib.sha1(path.encode()).hexdigest()[:16],
        "fileName": "./" + path,
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()},
        ],
        "licenseConcluded": "MIT",
        "licenseInfoInFiles": ["MIT" if path == "LICENSE" else "NOASSERTION"],
        "copyrightText": "Copyright (c) 2026 The tern authors",
    }


# The SHA1 of all SHA1 of the files, in order, as SPDX has it.
def verification_code(files):
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def found_version(module):
    asked = subprocess.run(["pkg-config", "--modversion", module], capture_output=True, text=True)
    return asked.stdout.strip() if module and asked.returncode == 0 else None


def dependency_entry(name, licence, module, purpose, found):
    entry = {
        "SPDXID": identifier("Library-" + name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "comment": "Is not part of the source. For " + purpose + ".",
    }
    version = found_version(module) if found else None
    if version:
        entry["versionInfo"] = version
    return entry


def document(version, found):
    listed = output("git", "ls-files", "-z").split("\0")
    files = [file_entry(path) for path in sorted(filter(None, listed))]
    commit = output("git", "rev-parse", "HEAD").strip()
    name = "tern-" + version
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    tern = {
        "SPDXID": "SPDXRef-Package-tern",
        "name": "tern",
        "versionInfo": version,
        "supplier": "Organization: The tern authors",
        "downloadLocation": "NOASSERTION",
        "sourceInfo": "commit " + commit,
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)},
        "hasFiles": [file["SPDXID"] for file in files],
        "licenseConcluded": "MIT",
        "licenseDeclared": "MIT",
        "licenseInfoFromFiles": ["MIT"],
        "copyrightText": "Copyright (c) 2026 The tern authors",
    }
    libraries = [dependency_entry(name, licence, module, purpose, found)
                 for name, licence, _, module, purpose in dependencies]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", tern["SPDXID"])]
    for library, dependency in zip(libraries, dependencies):
        relations.append((library["SPDXID"], dependency[2], tern["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": uuid.uuid5(uuid.NAMESPACE_URL, name + commit).urn,
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: The tern authors", "Tool: packaging/sbom.py"],
        },
        "packages": [tern] + libraries,
        "files": files,
        "relationships": [
            {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}
            for of, kind, to in relations],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--version", default=project_version())
    parser.add_argument("--found", action="store_true")
    given = parser.parse_args()
    print(json.dumps(document(given.version, given.found), indent=1))


main()
