# What sessions do in Godot.
extends "godot_base.gd"


func test_values_of_all_kinds_arrive():
	var pair = open_pair()
	var given = {x = 1.234, flat = Vector2(1.5, -2), position = Vector3(1, 2, 3.5),
			spin = Quat(1, 0, 0, 0), lit = true, small = -128, grid = [1, -2, 30000],
			count = 4000000000, seen = -1, friend = 7, target = 281474976710655, tag = "größe",
			raw = PoolByteArray([1, 0, 255, 4]),
			extra = {"a": [1, 2.5, "b", false], "c": {}, 7: "seven"}}
	var ball = pair.host.create("ball", given)
	expect(ball > 0, pair.host.last_error())
	expect(pair.until(pair.guest, "exists", [ball]), "it arrives")
	var arrived = pair.guest.get_fields(ball)
	expect(abs(arrived.x - 1.23) < 0.0001, "x is rounded to its step")
	for key in given:
		if key != "x" and key != "extra":
			expect_equal(arrived[key], given[key])
	expect_equal(var2str(arrived.extra.a), var2str(given.extra.a))
	expect_equal(arrived.extra[7], "seven")
	expect_equal(arrived.extra.c.size(), 0)
	expect_equal(var2str(arrived), var2str(pair.host.get_fields(ball)))
	expect_equal(pair.guest.object_type(ball), "ball")
	expect_equal(pair.find("guest", "object_created").type, "ball")
	return true


func test_what_is_not_given_has_a_default():
	var pair = open_pair()
	var fields = pair.host.get_fields(pair.host.create("ball", {}))
	expect_equal(fields.spin, Quat(0, 0, 0, 1))
	expect_equal(fields.tag, "")
	expect_equal(fields.extra, null)
	expect_equal(pair.host.get_fields(pair.host.create("ball")).grid, [0, 0, 0])
	return true


func test_dynamic_values_come_back():
	var pair = open_pair()
	var ball = pair.host.create("ball", {})
	for value in [null, true, 5, -2.25, "text", [1, [2, 3]], {"k": "v"}, {1: "a", "b": 2}]:
		expect(pair.host.set_fields(ball, {extra = value}), pair.host.last_error())
		expect_equal(var2str(pair.host.get_fields(ball).extra), var2str(value))
	pair.host.set_fields(ball, {extra = {1: "a", 2: "b"}})
	expect_equal(pair.host.get_fields(ball).extra, ["a", "b"])
	var itself = []
	itself.append(itself)
	expect_error(pair.host, pair.host.set_fields(ball, {extra = itself}), false, "deep")
	itself.clear()
	expect_error(pair.host, pair.host.set_fields(ball, {extra = [Vector2()]}), false,
			"ball.extra: expected null, a bool*got a Vector2")
	expect_error(pair.host, pair.host.set_fields(ball, {extra = "x".repeat(200)}), false, "bytes")
	return true


func test_changes_report_their_fields():
	var pair = open_pair()
	var ball = pair.host.create("ball", {x = 5})
	pair.until(pair.guest, "exists", [ball])
	pair.host.set_fields(ball, {position = Vector3(4, 5, 6), grid = PoolIntArray([7, 8, 9])})
	expect(pair.until(pair, "has", ["guest", "object_changed"]), "the event comes")
	expect_equal(pair.find("guest", "object_changed").changed_fields, ["position", "grid"])
	expect_equal(pair.guest.get_fields(ball).grid, [7, 8, 9])
	expect_equal(pair.guest.get_fields(ball).x, 5.0)
	expect_equal(pair.guest.sample(ball, 0).position, Vector3(4, 5, 6))
	expect(pair.host.destroy(ball), "the owner destroys it")
	pair.until(pair, "has", ["guest", "object_destroyed"])
	pair.tick()
	expect_equal(pair.guest.exists(ball), false)
	expect_equal(pair.guest.get_fields(ball), null)
	return true


func test_a_game_that_reads_all_needs_no_events_of_changes():
	var pair = open_pair({changed_events = false})
	var ball = pair.host.create("ball", {x = 5})
	pair.until(pair.guest, "exists", [ball])
	pair.host.set_fields(ball, {x = 6})
	expect(pair.until(pair, "is_equal_world"), "the change arrives")
	expect(not pair.has("guest", "object_changed"), "no event reports it")
	expect(pair.has("guest", "object_created"), "others come")
	return true


func test_a_node_has_signals():
	var pair = open_pair()
	var node = preload("res://addons/tern/tern_node.gd").new()
	get_root().add_child(node)
	emit_signal("idle_frame") # It waits until its session begins.
	node._process(0)
	expect_equal(node.session.last_error(), "")
	for event in ["caught_up", "object_created"]:
		node.connect(event, self, "note_event")
	node.connect("state_changed", self, "note_event")
	node.session.setup(TYPES)
	node.session.join(pair.invite())
	pair.host.create("asked", {number = 7})
	var expected = ["joining", "open", "caught_up", "asked"]
	expect(pair.until(self, "has_node_noted", [node, expected]), "signals report all of them")
	node.queue_free()
	return true


var noted = []


func note_event(event):
	noted.append(event if event is String else event.type if "type" in event else event.kind)


func has_node_noted(node, expected):
	emit_signal("idle_frame")
	node._process(0)
	for one in expected:
		if not one in noted:
			return false
	return true


func test_a_claim_moves_the_object():
	var pair = open_pair()
	var ball = pair.host.create("ball", {x = 5})
	pair.until(pair.guest, "exists", [ball])
	expect_equal(pair.guest.may_set(ball), false)
	expect(pair.guest.claim(ball), "it claims")
	expect(pair.guest.is_claiming(ball), "the claim waits")
	expect(pair.until(pair.guest, "may_set", [ball]), "the claim is granted")
	expect_equal(pair.find("guest", "claim_granted").object, ball)
	expect_equal(pair.guest.owner(ball), pair.guest.local_peer())
	expect(pair.until(pair, "has", ["host", "owner_changed"]), "the host sees it")
	expect_equal(pair.find("host", "owner_changed").previous, pair.host.local_peer())
	expect_equal(pair.find("host", "owner_changed").changed_fields, [])
	expect(pair.guest.lock(ball), "the owner locks it")
	expect(pair.guest.release(ball), "the owner gives it up")
	expect(pair.until(pair.host, "may_set", [ball]), "the host has it")
	return true


func test_a_claim_may_be_optimistic():
	var pair = open_pair()
	var ball = pair.host.create("ball", {x = 5})
	pair.until(pair.guest, "exists", [ball])
	pair.guest.claim(ball, true)
	expect(pair.guest.set_fields(ball, {x = 6}), "it may set at once")
	expect_equal(pair.guest.get_fields(ball).x, 6.0)
	return true


func test_a_game_refuses_a_claim():
	var pair = open_pair()
	var asked = pair.host.create("asked", {number = 5})
	pair.until(pair.guest, "exists", [asked])
	pair.guest.claim(asked)
	pair.until(pair, "has", ["host", "claim_asked"])
	pair.host.refuse_claim(asked, pair.find("host", "claim_asked").claimer)
	expect(pair.until(pair, "has", ["guest", "claim_refused"]), "it is refused")
	expect(pair.find("guest", "claim_refused").refusal != "", "there is a sentence")
	pair.guest.claim(asked)
	pair.tick()
	expect(pair.host.migrate(asked, pair.guest.local_peer()), "the game gives it")
	expect(pair.until(pair.guest, "may_set", [asked]), "the guest has it")
	return true


func test_a_thousand_are_read_and_set_by_one_call():
	var pair = open_pair()
	var made = []
	for i in 1000:
		made.append(pair.host.create("ball", {x = i, position = Vector3(i, 0, 1), small = i % 100,
				tag = str(i)}))
	expect(pair.until(pair, "has_count", [1000]), "all arrive")
	var ids = pair.guest.object_ids("ball")
	var xs = pair.guest.get_all("ball", "x")
	var positions = pair.guest.get_all("ball", "position")
	var smalls = pair.guest.get_all("ball", "small")
	var tags = pair.guest.get_all("ball", "tag")
	expect_equal(typeof(xs), TYPE_REAL_ARRAY)
	expect_equal(typeof(positions), TYPE_VECTOR3_ARRAY)
	expect_equal(typeof(pair.guest.get_all("ball", "flat")), TYPE_VECTOR2_ARRAY)
	expect_equal(typeof(smalls), TYPE_INT_ARRAY)
	expect_equal(typeof(pair.guest.get_all("ball", "count")), TYPE_ARRAY)
	expect_equal(pair.guest.get_all("ball", "spin")[999], Quat(0, 0, 0, 1))
	expect_equal(len(tags), 1000)
	for k in 1000:
		var i = made.find(ids[k])
		expect_equal([xs[k], positions[k], smalls[k], tags[k]],
				[float(i), Vector3(i, 0, 1), i % 100, str(i)])
	ids = pair.host.object_ids("ball")
	positions = pair.host.get_all("ball", "position") # In the order of the host's ids.
	for k in 1000:
		positions[k].y = 5
	expect_equal(pair.host.set_many(ids, "position", positions), 1000)
	expect_equal(pair.host.set_many(made, "x", range(1000, 2000)), 1000)
	expect(pair.until(pair, "is_equal_world"), "the guest has the same world")
	expect_equal(pair.guest.get_fields(made[7]).x, 1007.0)
	ids = pair.guest.object_ids("ball")
	positions = pair.guest.get_all("ball", "position")
	for k in 1000:
		expect_equal(positions[k], Vector3(made.find(ids[k]), 5, 1))
	return true


func test_a_request_is_answered():
	var pair = open_pair()
	var number = pair.guest.request("host", "shout", {words = "hello"}, 1000)
	expect(number > 0, pair.guest.last_error())
	expect(pair.until(pair, "has", ["host", "call"]), "the call arrives")
	var event = pair.find("host", "call")
	expect_equal([event.arguments.words, event.caller], ["hello", pair.guest.local_peer()])
	expect(pair.host.reply(event, "length", {number = len(event.arguments.words)}), "it replies")
	expect(pair.until(pair, "has", ["guest", "reply"]), "the reply arrives")
	expect_equal([pair.find("guest", "reply").call, pair.find("guest", "reply").arguments.number],
			[number, 5])
	expect_error(pair.host, pair.host.reply({}, "length", {}), false, "expected an event")
	return true


func test_a_request_without_a_reply_fails():
	var pair = open_pair()
	pair.guest.request(pair.guest.host_peer(), "shout", {words = "hello"}, 100)
	expect(pair.until(pair, "has", ["guest", "call_failed"]), "it fails")
	expect(pair.find("guest", "call_failed").failure != "", "there is a sentence")
	return true


func test_everyone_and_owners_get_calls():
	var pair = open_pair()
	var ball = pair.host.create("ball", {})
	pair.until(pair.guest, "exists", [ball])
	expect(pair.guest.call_owner(ball, "shout", {words = "catch"}) > 0, "it has a number")
	expect(pair.guest.call_peer("everyone", "shout", {words = "all"}, false), "it is sent")
	expect(pair.guest.request_owner(ball, "shout", {words = "ask"}, 1000) > 0, "it has a number")
	expect(pair.until(self, "has_words", [pair, ["catch", "all", "ask"]]), "all arrive")
	return true


func has_words(pair, words):
	var received = []
	for event in pair.events.host:
		if event.kind == "call":
			received.append(event.arguments.words)
	for word in words:
		if not word in received:
			return false
	return true


func test_the_game_admits_a_newcomer():
	var pair = Pair.new({ask_to_admit = true})
	expect(pair.until(pair, "has", ["host", "join_asked"]), "it is asked")
	var asked = pair.find("host", "join_asked")
	expect_equal([asked.name, asked.payload], ["ben", "let me in"])
	expect(pair.host.admit(asked.peer), "it admits")
	expect(pair.until(pair, "is_open"), "the guest is in")
	expect_equal(pair.host.other_peers(), [asked.peer])
	expect_equal(pair.guest.peer_name(pair.guest.host_peer()), "ada")
	expect(pair.host.remove(asked.peer), "it kicks")
	expect(pair.until(self, "is_state", [pair.guest, "removed"]), "the guest reads that")
	return true


func is_state(session, state):
	return session.state() == state


func test_the_game_refuses_a_newcomer():
	var pair = Pair.new({ask_to_admit = true})
	pair.until(pair, "has", ["host", "join_asked"])
	expect(pair.host.refuse(pair.find("host", "join_asked").peer, "no room"), "it refuses")
	expect(pair.until(self, "is_state", [pair.guest, "refused_by_game"]), "the guest reads that")
	return true


func test_leaving_gives_the_objects_away():
	var pair = open_pair()
	var ball = pair.guest.create("ball", {})
	pair.until(pair.host, "exists", [ball])
	expect(pair.guest.leave(), "it leaves")
	expect(pair.until(self, "is_state", [pair.guest, "left"]), "it has left")
	expect(pair.until(pair.host, "may_set", [ball]), "the host has the object")
	expect(pair.has("host", "peer_left"), "the host knows")
	return true


func test_a_freed_session_frees_its_port():
	var session = TernSession.new()
	expect(session.setup(TYPES), session.last_error())
	var port = session.port()
	var other = TernSession.new()
	expect_error(other, other.setup(TYPES, {port = port}), false, "port %d: *nother socket" % port)
	session = null
	expect(other.setup(TYPES, {port = port}), "setup() works after it has failed")
	expect_equal(other.port(), port)
	var lost = weakref(TernSession.new())
	expect_equal(lost.get_ref(), null)
	return true


func test_a_lost_peer_is_noticed():
	var pair = open_pair({timeout_ms = 300, quorum = "survivors"})
	pair.guest = TernSession.new()
	pair.guest.setup(TYPES)
	expect(pair.until(pair, "has", ["host", "peer_left"]), "the host notices")
	return true


func test_two_sessions_do_not_mix():
	var one = open_pair()
	var two = open_pair()
	var ball = one.host.create("ball", {x = 1})
	expect_equal(two.host.exists(ball), false)
	expect_error(two.host, two.host.set_fields(ball, {x = 2}), false, "no such object is known")
	expect_equal(one.host.last_error(), "")
	return true
