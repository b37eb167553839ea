# A guest of examples/meet.cpp: takes the ball, throws it to (3, 4), cheers, and leaves.
#     godot3-server --path bindings/godot -s meet.gd INVITE
extends SceneTree

const TYPES = [
	{name = "ball", objects_max = 10, fields = [
		{name = "x", kind = "float32", min = -100, max = 100, step = 0.01},
		{name = "y", kind = "float32", min = -100, max = 100, step = 0.01},
		{name = "touches", kind = "uint16"}]},
	{name = "cheer", fields = [{name = "words", kind = "text", count = 32}]},
	{name = "thanks", fields = [{name = "touches", kind = "int32"}]},
]

var session = load("res://addons/tern/tern.gdns").new()
var failure = ""


func _initialize():
	var arguments = OS.get_cmdline_args()
	var invite = arguments[arguments.size() - 1]
	if not (session.setup(TYPES, {name = "godot"}) and session.join(invite)):
		failure = session.last_error()


func act(event):
	match event.kind:
		"caught_up":
			session.claim(session.object_ids("ball")[0])
		"claim_granted":
			var touches = session.get_fields(event.object).touches
			session.set_fields(event.object, {x = 3, y = 4, touches = touches + 1})
			session.request("host", "cheer", {words = "hurray"}, 5000)
		"reply":
			print("thanks for touch ", event.arguments.touches)
			session.leave()
		"claim_refused":
			failure = event.refusal
		"call_failed":
			failure = event.failure


func _idle(_delta):
	if failure == "":
		for event in session.receive():
			act(event)
		session.send()
		if not session.state() in ["joining", "open", "cut_off", "leaving", "left"]:
			failure = session.state_text()
	if failure != "":
		printerr(failure)
		quit(1)
	elif session.state() == "left":
		quit()
