"""Writes gdnative_api_struct.gen.h by the functions of Godot's own build.

    make_header.py FOLDER_OF_GDNATIVE HEADER
"""

import json
import sys
import types

folder, header = sys.argv[1:]
# Godot's builders ask for this module, and use it only when they are run as a program.
methods = types.ModuleType("platform_methods")
methods.subprocess_main = lambda *unused: None
sys.modules["platform_methods"] = methods
sys.dont_write_bytecode = True  # The folder is not ours.
sys.path.insert(0, folder)
import gdnative_builders

with open(folder + "/gdnative_api.json") as described, open(header, "w") as made:
    made.write(gdnative_builders._build_gdnative_api_struct_header(json.load(described)))
