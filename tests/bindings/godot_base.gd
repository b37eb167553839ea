# What tests of the Godot binding have in common: two sessions in one process, by sockets of this
# machine. A script that extends this one has functions test_..., which return true at their end.
#     godot3-server --path bindings/godot -s PATH/godot_test.gd
extends SceneTree

const TernSession = preload("res://addons/tern/tern.gdns")
const BALL = {name = "ball", objects_max = 2000, orphan = "spread", fields = [
	{name = "x", kind = "float32", min = -2000, max = 2000, step = 0.01},
	{name = "flat", kind = "float32", count = 2},
	{name = "position", kind = "float32", count = 3},
	{name = "spin", kind = "quaternion"},
	{name = "lit", kind = "boolean"},
	{name = "small", kind = "int8"},
	{name = "grid", kind = "int16", count = 3},
	{name = "count", kind = "uint32"},
	{name = "seen", kind = "uint64"},
	{name = "friend", kind = "peer"},
	{name = "target", kind = "object"},
	{name = "tag", kind = "text", count = 8},
	{name = "raw", kind = "bytes", count = 4},
	{name = "extra", kind = "values", count = 100},
]}
const ASKED = {name = "asked", objects_max = 10, claim = "ask_game",
		fields = [{name = "number", kind = "int32"}]}
const SHOUT = {name = "shout", fields = [{name = "words", kind = "text", count = 32}]}
const LENGTH = {name = "length", fields = [{name = "number", kind = "int32"}]}
const TYPES = [BALL, ASKED, SHOUT, LENGTH]

var failures = 0
var name_of_test = ""


class Pair:
	var host = TernSession.new()
	var guest = TernSession.new()
	var events = {"host": [], "guest": []}

	func _init(options = {}):
		options.name = "ada"
		var is_host_set_up = host.setup(TYPES, options)
		assert(is_host_set_up)
		options.name = "ben"
		var is_guest_set_up = guest.setup(TYPES, options)
		assert(is_guest_set_up)
		host.start()
		guest.join(invite(), "let me in")

	func invite():
		return host.make_invite(["127.0.0.1:%d" % host.port()])

	func tick():
		events.host += host.receive()
		events.guest += guest.receive()
		host.send()
		guest.send()
		OS.delay_msec(1)

	# Plays until a method gives true; false: it did not in ten seconds.
	func until(object, method, arguments = []):
		var end = OS.get_ticks_msec() + 10000
		while not object.callv(method, arguments):
			if OS.get_ticks_msec() > end:
				printerr("it did not happen: ", method, arguments)
				return false
			tick()
		return true

	func is_open():
		return guest.state() == "open"

	func find(whose, kind):
		for event in events[whose]:
			if event.kind == kind:
				return event
		return null

	func has(whose, kind):
		return find(whose, kind) != null

	func has_count(count):
		return len(guest.object_ids("ball")) == count

	func is_equal_world():
		return host.world_digest() == guest.world_digest()


func _initialize():
	var finished = 0
	for method in get_method_list():
		if not method.name.begins_with("test_"):
			continue
		name_of_test = method.name
		if call(method.name) != true: # A script error ends a function, and nothing else.
			expect(false, "it did not reach its end")
		finished += 1
	print("%d tests, %d failures" % [finished, failures])
	quit(0 if failures == 0 and finished > 0 else 1)


func expect(condition, text):
	if not condition:
		failures += 1
		printerr(name_of_test, ": ", text)


func expect_equal(got, expected):
	expect(typeof(got) == typeof(expected) and got == expected,
			"expected %s, got %s" % [var2str(expected), var2str(got)])


# The last call was wrong, and last_error() has a text about it.
func expect_error(session, got, expected, pattern):
	expect_equal(got, expected)
	var error = session.last_error()
	expect(error.match("*" + pattern + "*"), "expected *%s*, got \"%s\"" % [pattern, error])


func open_pair(options = {}):
	var pair = Pair.new(options)
	expect(pair.until(pair, "is_open"), pair.guest.state_text())
	return pair
