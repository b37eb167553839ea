# The Godot binding: two sessions in one process, by sockets of this machine.
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
		assert(host.setup(TYPES, options))
		options.name = "ben"
		assert(guest.setup(TYPES, options))
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
	quit(0 if failures == 0 and finished > 10 else 1)


func expect(condition, text):
	if not condition:
		failures += 1
		printerr(name_of_test, ": ", text)


func expect_equal(got, expected):
	expect(typeof(got) == typeof(expected) and got == expected,
			"expected %s, got %s" % [var2str(expected), var2str(got)])


# The last call was wrong, and the text says so.
func expect_error(session, got, expected, pattern):
	expect_equal(got, expected)
	var error = session.last_error()
	expect(error.match("*" + pattern + "*"), "expected *%s*, got \"%s\"" % [pattern, error])


func open_pair(options = {}):
	var pair = Pair.new(options)
	expect(pair.until(pair, "is_open"), pair.guest.state_text())
	return pair


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


func test_changes_tell_their_fields():
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
	for k in 1000:
		positions[k].y = 5
	ids = pair.host.object_ids("ball")
	expect_equal(pair.host.set_many(ids, "position", pair.host.get_all("ball", "position")), 1000)
	expect_equal(pair.host.set_many(made, "x", range(1000, 2000)), 1000)
	expect(pair.until(pair, "is_equal_world"), "the guest has the same world")
	expect_equal(pair.guest.get_fields(made[7]).x, 1007.0)
	return true


func test_many_are_set_rightly_or_not_at_all():
	var pair = open_pair()
	var balls = [pair.host.create("ball", {}), pair.host.create("ball", {})]
	var host = pair.host
	expect_error(host, host.set_many(balls, "x", [1]), 0, "1 values for 2")
	expect_error(host, host.set_many(balls, "y", [1, 2]), 0, "no field \"y\"")
	expect_error(host, host.set_many(balls, "x", [1, "2"]), 0, "expected a number, got \"2\", for ?1]")
	expect_error(host, host.set_many([77], "x", [1]), 0, "not known")
	expect_error(host, host.set_many([balls[0], "no"], "x", [1, 2]), 0, "expected an object, got \"no\", for ?1]")
	expect_error(host, host.set_many([balls[0], 77], "x", [1, 2]), 1, "77")
	expect_equal(host.set_many([], "x", []), 0)
	expect_equal(host.get_fields(balls[0]).x, 1.0)
	pair.until(pair.guest, "exists", [balls[1]])
	expect_error(pair.guest, pair.guest.set_many(balls, "x", [3, 4]), 0, "belongs to peer")
	expect_error(host, host.get_all("ball", "y"), [], "ball has no field \"y\"")
	expect_error(host, host.get_all("cat", "y"), [], "no type \"cat\", expected one of ball, asked")
	expect_equal(len(host.get_all("asked", "number")), 0)
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
	var heard = []
	for event in pair.events.host:
		if event.kind == "call":
			heard.append(event.arguments.words)
	for word in words:
		if not word in heard:
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


func test_wrong_calls_say_what_to_do():
	var pair = open_pair()
	var host = pair.host
	var ball = host.create("ball", {x = 1})
	pair.until(pair.guest, "exists", [ball])
	expect_error(pair.guest, pair.guest.set_fields(ball, {x = 2}), false,
			"set_fields(): *belongs to peer 1*claim")
	expect_error(host, host.start(), false, "has begun before")
	expect_error(host, host.setup(TYPES), false, "called before")
	expect_error(host, host.create("shout", {}), 0, "for calls only")
	expect_error(host, host.create("cat", {}), 0, "no type \"cat\", expected one of ball, asked")
	expect_error(host, host.creations_left("cat"), 0, "no type")
	expect_error(host, host.destroy(12345), false, "12345")
	expect_error(host, host.claim(0), false, "none")
	expect_error(host, host.call_peer("host", "ball", {}), false, "for objects")
	expect_error(host, host.call_peer(99, "shout", {}), false, "?")
	expect_error(host, host.request(99, "shout", {}, 0), 0, "?")
	expect_error(host, host.go_on(), false, "not cut off")
	expect_equal(host.get_fields(12345), null)
	expect_equal(host.sample(12345, 0), null)
	pair.tick() # Nothing is left of the mistakes.
	expect_equal(host.last_error(), "")
	return true


func test_wrong_arguments_are_refused():
	var pair = open_pair()
	var host = pair.host
	var ball = host.create("ball")
	expect_error(host, host.create(), null, "create(): expected 1 to 2 arguments, got 0")
	expect_error(host, host.start(1), null, "expected 0 arguments, got 1")
	expect_error(host, host.create(5, {}), null, "argument 1: expected the name of a type, got 5")
	expect_error(host, host.create("ball", []), null, "argument 2: expected a Dictionary, got an Array")
	expect_error(host, host.destroy("ball"), null, "whole number from 0, got \"ball\"")
	expect_error(host, host.destroy(-1), null, "whole number from 0, got -1")
	expect_error(host, host.destroy(1.5), null, "whole number from 0, got 1.5")
	expect_error(host, host.destroy(null), null, "got null")
	expect_error(host, host.lock(1, 1), null, "expected true or false, got 1")
	expect_error(host, host.call_peer("ben", "shout", {}), null, "\"host\" or \"everyone\", got \"ben\"")
	expect_error(host, host.admit(70000), false, "?")
	expect_error(host, host.migrate(ball, 65536 + pair.guest.local_peer()), false, "not there")
	expect_error(host, host.refuse_claim(1, 65537), false, "?")
	expect_equal(host.peer_name(70000), "")
	return true


func test_wrong_fields_are_refused():
	var pair = open_pair()
	var host = pair.host
	var ball = host.create("ball", {x = 1})
	for wrong in [
		[{y = 1}, "ball has no field \"y\""],
		[{5: 1}, "ball has no field \"5\""],
		[{x = "1"}, "ball.x: expected a number, got \"1\""],
		[{x = NAN}, "NaN"],
		[{flat = 1}, "ball.flat: expected a Vector2, got 1"],
		[{flat = Vector3()}, "expected a Vector2, got a Vector3"],
		[{position = [1, 2]}, "expected a Vector3, got an Array of 2"],
		[{position = [1, 2, null]}, "expected a number, got null at ?2]"],
		[{spin = Vector3()}, "ball.spin: expected a Quat, got a Vector3"],
		[{lit = 1}, "expected true or false, got 1"],
		[{small = 128}, "from -128 to 127, got 128"],
		[{small = 1.5}, "from -128 to 127, got 1.5"],
		[{grid = 5}, "expected an Array of 3, got 5"],
		[{grid = [1, 2]}, "expected an Array of 3, got an Array of 2"],
		[{grid = [1, 2, 40000]}, "got 40000 at ?2]"],
		[{count = -1}, "from 0 to 4294967295, got -1"],
		[{friend = 70000}, "from 0 to 65535"],
		[{target = -5}, "from 0 to 281474976710655"],
		[{tag = 5}, "expected a String, got 5"],
		[{tag = "too long"}, "it has 8 bytes, at most 7"],
		[{raw = "text"}, "expected a PoolByteArray, got \"text\""],
		[{raw = PoolByteArray([1, 2, 3, 4, 5])}, "it has 5 bytes, at most 4"],
		[{extra = self}, "got an Object"],
	]:
		expect_error(host, host.set_fields(ball, wrong[0]), false, wrong[1])
		expect_error(host, host.create("ball", wrong[0]), 0, wrong[1])
	expect_equal(host.get_fields(ball).x, 1.0)
	expect_equal(len(host.object_ids("ball")), 1)
	expect(host.set_fields(ball, {small = 3.0, x = 2, flat = PoolRealArray([1, 2])}), "these fit")
	expect_error(host, host.call_peer("host", "shout", {word = ""}), false, "no field \"word\"")
	return true


func with_field(changes):
	var field = {name = "x", kind = "int8"}
	for key in changes:
		field[key] = changes[key]
	return [{name = "ball", objects_max = 1, fields = [field]}]


func with_type(changes):
	var type = {name = "ball", objects_max = 1, fields = [{name = "x", kind = "int8"}]}
	for key in changes:
		type[key] = changes[key]
	return [type]


func test_wrong_declarations_are_refused():
	var session = TernSession.new()
	var large = []
	for i in 63:
		large.append({name = "f%d" % i, kind = "bytes", count = 60000})
	for wrong in [
		[[5], {}, "type: expected a Dictionary, got 5"],
		[[{}], {}, "fields: expected an Array, got null"],
		[with_type({name = 5}), {}, "type: name: expected a String, got 5"],
		[with_type({name = ""}), {}, "?"],
		[with_type({fields = [5]}), {}, "type ball: field: expected a Dictionary, got 5"],
		[with_type({fields = []}), {}, "?"],
		[with_type({fields = large}), {}, "take 3780000 bytes, at most 4096"],
		[with_type({orphan = "burn"}), {}, "orphan: expected one of to_host, destroy*got \"burn\""],
		[with_type({claim = 1}), {}, "type ball: claim: expected one of always*got 1"],
		[with_type({objects_max = -1}), {}, "objects_max: expected a whole number from 0*got -1"],
		[with_type({objects_max = 1 << 31}), {}, "?"],
		[with_type({object_max = 1}), {}, "type ball: there is no \"object_max\", expected one of name"],
		[with_type({predicted = 1}), {}, "predicted: expected true or false, got 1"],
		[with_field({kind = "float"}), {}, "type ball: field x: kind: expected one of boolean*\"float\""],
		[with_field({kind = null}), {}, "kind: expected a String, got null"],
		[with_field({count = 70000}), {}, "from 0 to 65535, got 70000"],
		[with_field({min = "0"}), {}, "min: expected a number, got \"0\""],
		[with_field({min = 2, max = 1}), {}, "?"],
		[with_field({steps = 1}), {}, "field x: there is no \"steps\", expected one of name, kind"],
		[[BALL, BALL], {}, "both named ball"],
		[TYPES, {peers_max = 99}, "peers_max 99"],
		[TYPES, {topology = "ring"}, "options: topology: expected one of mesh, star, got \"ring\""],
		[TYPES, {peer_max = 9}, "options: there is no \"peer_max\", expected one of name, port"],
		[TYPES, {port = 70000}, "port: expected a whole number from 0 to 65535, got 70000"],
		[TYPES, {name = 5}, "name: expected a String"],
	]:
		expect_error(session, session.setup(wrong[0], wrong[1]), false, wrong[2])
	expect_error(session, session.setup({}), null, "argument 1: expected an Array, got a Dictionary")
	expect_error(session, session.start(), null, "start(): call setup() first")
	expect_error(session, session.receive(), null, "receive(): call setup() first")
	expect(session.setup(TYPES), "it can be set up after all of that")
	return true


func test_texts_that_are_none():
	var session = TernSession.new()
	session.setup(TYPES)
	expect_error(session, session.join("tern1-abc"), false, "join(): the invite: it is cut short")
	expect_error(session, session.make_invite(["127.0.0.1:1"]), "", "not open")
	session.start()
	expect_error(session, session.make_invite(["localhost:1"]), "", "\"localhost:1\" is no address")
	expect_error(session, session.make_invite([]), "", "0 addresses")
	expect_error(session, session.make_invite([1, 2, 3, 4, 5]), "", "1 to 4 addresses, got 5")
	expect_error(session, session.make_invite("1.2.3.4:5"), null, "expected an Array, got \"1.2.3.4:5\"")
	expect_error(session, session.make_invite(["0.0.0.0:1"]), "", "addresses?0]")
	return true
