# A session as a node. It receives before all nodes process a frame, and sends after them; a signal
# reports each event, and has its Dictionary. It plays on while the tree is paused.
#     var tern = preload("res://addons/tern/tern_node.gd").new()
#     if tern.session.setup(TYPES, {name = "ada"}): ...
extends Node

signal state_changed(state) # Also when joining has failed: session.state_text() has the cause.
signal join_progress(event)
signal caught_up(event)
signal join_asked(event)
signal peer_joined(event)
signal peer_left(event)
signal misbehaved(event)
signal host_lost(event)
signal host_changed(event)
signal object_created(event)
signal object_changed(event)
signal object_destroyed(event)
signal object_hidden(event)
signal object_shown(event)
signal owner_changed(event)
signal object_orphaned(event)
signal claim_asked(event)
signal claim_granted(event)
signal claim_refused(event)
signal call(event)
signal reply(event)
signal call_failed(event)

var session = preload("res://addons/tern/tern.gdns").new()
var _state = "idle"


func _enter_tree():
	pause_mode = PAUSE_MODE_PROCESS
	process_priority = 1 << 30
	get_tree().connect("idle_frame", self, "_receive")


func _exit_tree():
	get_tree().disconnect("idle_frame", self, "_receive")


func _receive():
	if session.state() == "idle":
		return
	for event in session.receive():
		emit_signal(event.kind, event)
	if session.state() != _state:
		_state = session.state()
		emit_signal("state_changed", _state)


func _process(_delta):
	if session.state() != "idle":
		session.send()
