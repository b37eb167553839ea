# Two peers share a lamp. The first one makes it; the second one claims it, lights it and leaves.
#     godot3-server --path bindings/godot -s lamp.gd             prints an invite
#     godot3-server --path bindings/godot -s lamp.gd INVITE
extends SceneTree

const TYPES = [{name = "lamp", objects_max = 10, fields = [{name = "lit", kind = "boolean"}]}]

var tern = preload("res://addons/tern/tern_node.gd").new()
var session = tern.session


func _initialize():
	get_root().add_child(tern)
	for name in ["caught_up", "claim_granted", "peer_left", "state_changed"]:
		tern.connect(name, self, "_on_" + name)
	for name in ["object_created", "object_changed", "owner_changed"]:
		tern.connect(name, self, "_show_lamp")
	var arguments = OS.get_cmdline_args()
	var invite = arguments[arguments.size() - 1]
	var is_guest = invite.begins_with("tern1-")
	var is_set_up = session.setup(TYPES, {name = "ben" if is_guest else "ada"})
	if not is_set_up or not (session.join(invite) if is_guest else session.start()):
		quit(1) # Godot's console shows the cause, and session.last_error() has it, too.
	elif not is_guest:
		session.create("lamp", {lit = false})
		print("invite: ", session.make_invite(["127.0.0.1:%d" % session.port()]))


func _on_caught_up(_event):
	session.claim(session.object_ids("lamp")[0])


func _on_claim_granted(event):
	session.set_fields(event.object, {lit = true})
	session.leave()


func _show_lamp(event):
	print(session.peer_name(event.owner), " has the lamp: ", session.get_fields(event.object))


func _on_peer_left(_event):
	print("well played")
	quit()


func _on_state_changed(state):
	if not state in ["joining", "open", "cut_off", "leaving"]:
		print(session.state_text())
		quit(0 if state == "left" else 1)
