# Wrong calls in Godot, and the texts that they give.
extends "godot_base.gd"


func test_many_are_set_rightly_or_not_at_all():
	var pair = open_pair()
	var balls = [pair.host.create("ball", {}), pair.host.create("ball", {})]
	var host = pair.host
	expect_error(host, host.set_many(balls, "x", [1]), 0, "1 values for 2")
	expect_error(host, host.set_many(balls, "y", [1, 2]), 0, "no field \"y\"")
	expect_error(host, host.set_many(balls, "x", [1, "2"]), 0,
			"expected a number, got \"2\", for ?1]")
	expect_error(host, host.set_many([77], "x", [1]), 0, "not known")
	expect_error(host, host.set_many([balls[0], "no"], "x", [1, 2]), 0,
			"expected an object, got \"no\", for ?1]")
	expect_error(host, host.set_many([balls[0], 77], "x", [1, 2]), 1, "77")
	expect_equal(host.set_many([], "x", []), 0)
	expect_equal(host.get_fields(balls[0]).x, 1.0)
	pair.until(pair.guest, "exists", [balls[1]])
	expect_error(pair.guest, pair.guest.set_many(balls, "x", [3, 4]), 0, "belongs to peer")
	expect_error(host, host.get_all("ball", "y"), [], "ball has no field \"y\"")
	expect_error(host, host.get_all("cat", "y"), [], "no type \"cat\", expected one of ball, asked")
	expect_equal(len(host.get_all("asked", "number")), 0)
	return true


func test_wrong_calls_have_a_remedy():
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
	expect_error(host, host.call_peer(99, "shout", {}), false, "call_peer(): *is not there")
	expect_error(host, host.request(99, "shout", {}, 0), 0, "timeout_ms is 0")
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
	expect_error(host, host.create("ball", []), null,
			"argument 2: expected a Dictionary, got an Array")
	expect_error(host, host.destroy("ball"), null, "whole number from 0, got \"ball\"")
	expect_error(host, host.destroy(-1), null, "whole number from 0, got -1")
	expect_error(host, host.destroy(1.5), null, "whole number from 0, got 1.5")
	expect_error(host, host.destroy(null), null, "got null")
	expect_error(host, host.lock(1, 1), null, "expected true or false, got 1")
	expect_error(host, host.call_peer("ben", "shout", {}), null,
			"\"host\" or \"everyone\", got \"ben\"")
	expect_error(host, host.admit(70000), false, "admit(): *is not there")
	expect_error(host, host.migrate(ball, 65536 + pair.guest.local_peer()), false, "not there")
	expect_error(host, host.refuse_claim(1, 65537), false, "refuse_claim(): *is not there")
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
		[with_type({name = ""}), {}, "type 0: its name is empty"],
		[with_type({fields = [5]}), {}, "type ball: field: expected a Dictionary, got 5"],
		[with_type({fields = []}), {}, "type ball: a struct of 0 bytes"],
		[with_type({fields = large}), {}, "take 3780000 bytes, at most 4096"],
		[with_type({orphan = "burn"}), {}, "orphan: expected one of to_host, destroy*got \"burn\""],
		[with_type({claim = 1}), {}, "type ball: claim: expected one of always*got 1"],
		[with_type({objects_max = -1}), {}, "objects_max: expected a whole number from 0*got -1"],
		[with_type({objects_max = 1 << 31}), {}, "objects_max is 2147483648"],
		[with_type({object_max = 1}), {},
				"type ball: there is no \"object_max\", expected one of name"],
		[with_type({predicted = 1}), {}, "predicted: expected true or false, got 1"],
		[with_field({kind = "float"}), {},
				"type ball: field x: kind: expected one of boolean*\"float\""],
		[with_field({kind = null}), {}, "kind: expected a String, got null"],
		[with_field({count = 70000}), {}, "from 0 to 65535, got 70000"],
		[with_field({min = "0"}), {}, "min: expected a number, got \"0\""],
		[with_field({min = 2, max = 1}), {}, "type ball, field x: min 2 is not below max 1"],
		[with_field({steps = 1}), {}, "field x: there is no \"steps\", expected one of name, kind"],
		[[BALL, BALL], {}, "both named ball"],
		[TYPES, {peers_max = 99}, "peers_max 99"],
		[TYPES, {topology = "ring"}, "options: topology: expected one of mesh, star, got \"ring\""],
		[TYPES, {peer_max = 9}, "options: there is no \"peer_max\", expected one of name, port"],
		[TYPES, {port = 70000}, "port: expected a whole number from 0 to 65535, got 70000"],
		[TYPES, {name = 5}, "name: expected a String"],
	]:
		expect_error(session, session.setup(wrong[0], wrong[1]), false, wrong[2])
	expect_error(session, session.setup({}), null,
			"argument 1: expected an Array, got a Dictionary")
	expect_equal(session.state(), "idle")
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
	expect_error(session, session.make_invite("1.2.3.4:5"), null,
			"expected an Array, got \"1.2.3.4:5\"")
	expect_error(session, session.make_invite(["0.0.0.0:1"]), "", "addresses?0]")
	return true
