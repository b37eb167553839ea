# Reads the positions of 1,000 bodies into a PoolVector3Array, as read.c does. Prints the time of a
# tick in ns.
extends SceneTree

const BODIES = 1000
const TICKS = 2000
const TYPES = [{name = "body", objects_max = BODIES, fields = [
	{name = "position", kind = "float32", count = 3},
	{name = "rotation", kind = "float32", count = 4},
	{name = "health", kind = "int32"}]}]

func _init():
	var session = load("res://addons/tern/tern.gdns").new()
	session.setup(TYPES, {})
	session.start()
	for i in BODIES:
		session.create("body", {position = Vector3(i, 0, 0), health = i})
	var positions
	var begun_us = OS.get_ticks_usec()
	for _i in TICKS:
		positions = session.get_all("body", "position")
	var time_us = OS.get_ticks_usec() - begun_us
	if positions[7].x != 7:
		printerr("read.gd: what was read is wrong")
		return quit(1)
	print("all ", time_us * 1000 / TICKS)
	quit()
