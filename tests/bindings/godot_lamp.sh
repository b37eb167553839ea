#!/bin/bash
# Runs the host of bindings/godot/lamp.gd: meet.sh takes a program without arguments.
exec godot3-server --path "$(dirname "$0")/../../bindings/godot" -s lamp.gd
