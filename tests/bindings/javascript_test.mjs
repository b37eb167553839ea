// The JavaScript binding: two sessions over the simulated network, and by hand. It runs with
//     TERN_JAVASCRIPT=build/wasm/javascript node --test tests/bindings/javascript_test.mjs

import assert from "node:assert/strict";
import {resolve} from "node:path";
import test from "node:test";
import {pathToFileURL} from "node:url";

const folder = process.env.TERN_JAVASCRIPT ?? "build-wasm/javascript";
const {Misuse, TernError, address_of, everyone, host: host_id, ip_text, load, object_text} =
  await import(pathToFileURL(resolve(folder, "tern.mjs")));
const tern = await load();

const types = [
  {name: "ball", objects_max: 4000, orphan: "spread", fields: [
    {name: "x", kind: "float32", min: -2000, max: 2000, step: 0.01},
    {name: "spin", kind: "quaternion"},
    {name: "tag", kind: "text", count: 8},
    {name: "grid", kind: "int8", count: 3},
    {name: "seen", kind: "uint64"}]},
  {name: "all", objects_max: 10, fields: [
    {name: "yes", kind: "boolean"}, {name: "i8", kind: "int8"}, {name: "i16", kind: "int16"},
    {name: "i32", kind: "int32"}, {name: "i64", kind: "int64"}, {name: "u8", kind: "uint8"},
    {name: "u16", kind: "uint16"}, {name: "u32", kind: "uint32"}, {name: "u64", kind: "uint64"},
    {name: "f", kind: "float32", count: 2}, {name: "q", kind: "quaternion"},
    {name: "who", kind: "peer"}, {name: "what", kind: "object"},
    {name: "text", kind: "text", count: 16}, {name: "bytes", kind: "bytes", count: 4}]},
  {name: "asked", objects_max: 10, claim: "ask_game", fields: [{name: "number", kind: "int32"}]},
  {name: "shout", fields: [{name: "words", kind: "text", count: 32}]},
  {name: "length", fields: [{name: "number", kind: "int32"}]},
];

// A host and a guest on a simulated network, in virtual time.
class Pair {
  constructor({network = {loss: 0.1, duplicate: 0.05}, ...options} = {}) {
    this.network = tern.make_network({seed: 3, latency_ms_min: 10, latency_ms_max: 40, ...network});
    this.host = tern.make_session(types, {name: "ada", ...options});
    this.guest = tern.make_session(types, {name: "ben", ...options});
    this.sockets = new Map([[this.host, this.network.make_socket(1)],
                            [this.guest, this.network.make_socket(2)]]);
    this.events = new Map([[this.host, []], [this.guest, []]]);
    this.now_us = 0;
  }

  tick() {
    this.now_us += 16_667;
    this.network.advance(this.now_us);
    for (const [session, socket] of this.sockets) {
      this.events.get(session).push(...session.receive(socket, this.now_us));
      session.send(this.now_us, socket);
    }
  }

  until(condition) {
    for (let i = 0; i < 1200; ++i) {
      if (condition()) return;
      this.tick();
    }
    assert.fail(`it did not happen in twenty seconds: ${condition}`);
  }

  join(payload) {
    this.host.start();
    this.guest.join(this.host.make_invite(this.sockets.get(this.host).address), payload);
  }

  open() {
    this.join();
    this.until(() => this.guest.state === "open");
    return this;
  }

  find(session, kind) { return this.events.get(session).find(event => event.kind === kind); }

  close() {
    this.host.close();
    this.guest.close();
    this.network.close();
  }
}

function with_pair(use, options) {
  return () => {
    const pair = new Pair(options);
    try {
      use(pair);
    } finally {
      pair.close();
    }
  };
}

// --- Objects ---

const one_of_all = {
  yes: true, i8: -128, i16: -32768, i32: -(2 ** 31), i64: -(2n ** 63n), u8: 255, u16: 65535,
  u32: 2 ** 32 - 1, u64: 2n ** 64n - 1n, f: [1.5, -0.25], q: [0, 0, 0, 1], who: 1,
  what: 2 ** 40 + 1, text: "größe", bytes: Uint8Array.of(1, 0, 3, 255),
};

test("values of all kinds arrive", with_pair(pair => {
  pair.open();
  const object = pair.host.create("all", one_of_all);
  pair.until(() => pair.guest.exists(object));
  assert.deepEqual(pair.guest.get(object), one_of_all);
  const created = pair.find(pair.guest, "object_created");
  assert.deepEqual([created.object, created.type, created.owner],
                   [object, "all", pair.host.local_peer]);
  assert.equal(pair.guest.world_digest, pair.host.world_digest);
  assert.match(pair.guest.world_digest, /^[0-9a-f]{16}$/);
}));

test("values are rounded, and defaults are zero or upright", with_pair(pair => {
  pair.open();
  const ball = pair.host.create("ball", {x: 1.234, grid: [1, -2, 3]});
  const value = pair.host.get(ball);
  assert.ok(Math.abs(value.x - 1.23) < 1e-5);
  assert.deepEqual({...value, x: 0},
                   {x: 0, spin: [0, 0, 0, 1], tag: "", grid: [1, -2, 3], seen: 0n});
  pair.host.set(ball, {seen: 7, tag: "seven"});
  assert.deepEqual([pair.host.get(ball).seen, pair.host.get(ball).tag], [7n, "seven"]);
  assert.deepEqual(pair.host.get(ball).grid, [1, -2, 3]);
  assert.equal(pair.host.get(ball + 1), null);
  assert.equal(pair.host.sample(ball, pair.now_us).tag, "seven");
}));

test("a claim moves the object", with_pair(pair => {
  pair.open();
  const ball = pair.host.create("ball");
  pair.until(() => pair.guest.exists(ball));
  assert.equal(pair.guest.may_set(ball), false);
  pair.guest.claim(ball);
  assert.ok(pair.guest.is_claiming(ball));
  pair.until(() => pair.guest.may_set(ball));
  pair.guest.set(ball, {x: -20});
  pair.until(() => pair.host.get(ball).x === -20);
  assert.equal(pair.host.owner(ball), pair.guest.local_peer);
  assert.equal(pair.find(pair.host, "owner_changed").previous, pair.host.local_peer);
  pair.guest.lock(ball);
  pair.guest.lock(ball, false);
  pair.guest.release(ball);
  pair.until(() => pair.host.may_set(ball));
  pair.host.migrate(ball, pair.guest.local_peer);
  pair.until(() => pair.guest.may_set(ball));
}));

test("a game refuses a claim", with_pair(pair => {
  pair.open();
  const asked = pair.host.create("asked", {number: 5});
  pair.until(() => pair.guest.exists(asked));
  pair.guest.claim(asked);
  pair.until(() => pair.find(pair.host, "claim_asked"));
  pair.host.refuse_claim(asked, pair.find(pair.host, "claim_asked").peer);
  pair.until(() => pair.find(pair.guest, "claim_refused"));
  assert.match(pair.find(pair.guest, "claim_refused").refusal, /./);
}));

test("a thousand objects are set and read in one call each", with_pair(pair => {
  pair.open();
  const balls = Array.from({length: 1000}, (_, i) => pair.host.create("ball", {x: i}));
  const values = balls.map((_, i) => ({x: i + 100, seen: BigInt(i)}));
  assert.equal(pair.host.set_many("ball", balls, values), 1000);
  pair.until(() => pair.guest.object_ids("ball").length === 1000);
  pair.until(() => pair.guest.world_digest === pair.host.world_digest);
  const x = new Float32Array(1000), seen = new BigUint64Array(1000), grid = new Int8Array(3000);
  assert.equal(pair.guest.read_column("ball", "x", x), 1000);
  assert.equal(pair.guest.read_column("ball", "seen", seen), 1000);
  assert.equal(pair.guest.read_column("ball", "grid", grid), 1000);
  pair.guest.object_ids("ball").forEach((ball, i) => {
    assert.equal(x[i], balls.indexOf(ball) + 100);
    assert.equal(seen[i], BigInt(balls.indexOf(ball)));
  });
  assert.throws(() => pair.guest.read_column("ball", "x", new Float32Array(999)),
                /ball\.x: the array has 999 elements, expected 1000/);
  assert.throws(() => pair.guest.read_column("ball", "x", new Uint8Array(1000)), /Float32Array/);
  pair.host.destroy(balls[0]);
  pair.until(() => !pair.guest.exists(balls[0]));
  assert.equal(pair.guest.read_column("ball", "x", x), 999);
}));

// --- Calls ---

test("a request is answered", with_pair(pair => {
  pair.open();
  const number = pair.guest.request(host_id, "shout", {words: "hello"}, 1000);
  pair.until(() => pair.find(pair.host, "call"));
  const call = pair.find(pair.host, "call");
  assert.deepEqual([call.type, call.arguments.words, call.peer],
                   ["shout", "hello", pair.guest.local_peer]);
  pair.host.reply(call, "length", {number: call.arguments.words.length});
  pair.until(() => pair.find(pair.guest, "reply"));
  const reply = pair.find(pair.guest, "reply");
  assert.deepEqual([reply.call, reply.arguments.number], [number, 5]);
}));

test("a request without a reply fails", with_pair(pair => {
  pair.open();
  pair.guest.request(host_id, "shout", {words: "hello"}, 200);
  pair.until(() => pair.find(pair.guest, "call_failed"));
  assert.match(pair.find(pair.guest, "call_failed").failure, /./);
}));

test("everyone and owners get calls", with_pair(pair => {
  pair.open();
  const ball = pair.host.create("ball");
  pair.until(() => pair.guest.exists(ball));
  assert.ok(pair.guest.call_owner(ball, "shout", {words: "catch"}) > 0);
  assert.ok(pair.guest.request_owner(ball, "shout", {words: "answer"}) > 0);
  pair.guest.call(everyone, "shout", {words: "all"});
  const words = () => pair.events.get(pair.host).filter(event => event.kind === "call")
    .map(event => event.arguments.words).sort().join();
  pair.until(() => words() === "all,answer,catch");
}));

// --- Members ---

test("the game admits a newcomer", with_pair(pair => {
  pair.join(Uint8Array.of(1, 2));
  pair.until(() => pair.find(pair.host, "join_asked"));
  const asked = pair.find(pair.host, "join_asked");
  assert.deepEqual([asked.name, asked.payload], ["ben", Uint8Array.of(1, 2)]);
  pair.host.admit(asked.peer);
  pair.until(() => pair.guest.state === "open");
  assert.deepEqual(pair.host.other_peers, [asked.peer]);
  assert.equal(pair.guest.peer_name(pair.guest.host_peer), "ada");
}, {ask_to_admit: true}));

test("leaving gives the objects away", with_pair(pair => {
  pair.open();
  const ball = pair.guest.create("ball");
  pair.until(() => pair.host.exists(ball));
  pair.guest.leave();
  pair.until(() => pair.guest.state === "left");
  pair.until(() => pair.host.owner(ball) === pair.host.local_peer);
  assert.match(pair.guest.state_text, /Left/);
}));

test("a cut network is told", with_pair(pair => {
  pair.open();
  pair.network.impair({loss: 0.02});
  pair.network.cut(1, 2);
  pair.network.cut(2, 1);
  pair.until(() => pair.guest.state === "cut_off");
  assert.throws(() => pair.guest.create("ball"),
                error => error instanceof TernError && error.result === "cut_off");
  pair.guest.go_on();
  assert.equal(pair.guest.state, "open");
}, {timeout_ms: 1000}));

// --- Datagrams that the game carries ---

test("two sessions meet by datagrams in hand", () => {
  const host = tern.make_session(types), guest = tern.make_session(types);
  const addresses = new Map([[host, address_of("10.0.0.1", 1)],
                             [guest, address_of("10.0.0.2", 2)]]);
  const inboxes = new Map([[1, []], [2, []]]);
  host.start();
  guest.join(host.make_invite(addresses.get(host)));
  for (let now_us = 0; guest.state !== "open" && now_us < 10e6; now_us += 16_667)
    for (const [session, address] of addresses) {
      session.receive(inboxes.get(address.port).splice(0), now_us);
      for (const {port, bytes} of session.send(now_us)) inboxes.get(port).push({...address, bytes});
    }
  assert.equal(guest.state, "open");
  host.close();
  guest.close();
});

test("a wrong datagram keeps none in the inbox", () => {
  const session = tern.make_session(types), network = tern.make_network();
  session.start();
  const good = {...address_of("10.0.0.9", 9), bytes: new Uint8Array(5)};
  const added = [];
  const add = tern._module._js_add_datagram;
  tern._module._js_add_datagram = (...given) => {
    added.push(given);
    return add(...given);
  };
  try {
    const none = /^TypeError: a datagram has no Uint8Array of bytes$/;
    for (const bytes of [new ArrayBuffer(5), undefined, "abcde", [1, 2], new Uint16Array(2)])
      assert.throws(() => session.receive([good, {...good, bytes}], 1), none);
    assert.throws(() => session.receive([good, {...good, port: -1}], 1), RangeError);
    const max = tern.datagram_bytes_max;
    assert.deepEqual(added, []);
    session.receive([{...good, bytes: new Uint8Array(max + 1)}], 1);
    assert.deepEqual(added, []);
    session.receive([good, {...good, bytes: new Uint8Array(max)}], 1);
    assert.equal(added.length, 2);
  } finally {
    tern._module._js_add_datagram = add;
  }
  assert.throws(() => session.send(2, network), /the socket was not made by a network/);
  session.close();
  network.close();
});

// --- Mistakes ---

test("a time is always given", with_pair(pair => {
  pair.open();
  const missing = /^RangeError: now_us is undefined, expected an integer from 0 to/;
  const socket = pair.sockets.get(pair.host);
  const late = tern.make_session(types), network = tern.make_network();
  assert.throws(() => late.receive([]), missing);
  assert.throws(() => late.send(), missing);
  assert.throws(() => late.send(undefined, network.make_socket(1)), missing);
  assert.throws(() => network.advance(), missing);
  assert.throws(() => pair.host.receive(socket), missing);
  assert.throws(() => pair.host.sample(1), /^RangeError: at_us is undefined/);
  late.close();
  network.close();
}));

test("ids of objects are integers of 48 bits", with_pair(pair => {
  pair.open();
  const ball = pair.host.create("ball"), session = pair.host;
  const calls = {
    destroy: id => session.destroy(id), exists: id => session.exists(id),
    owner: id => session.owner(id), may_set: id => session.may_set(id),
    get: id => session.get(id), sample: id => session.sample(id, 0), set: id => session.set(id, {}),
    set_many: id => session.set_many("ball", [id], [{}]), claim: id => session.claim(id),
    is_claiming: id => session.is_claiming(id), release: id => session.release(id),
    lock: id => session.lock(id), migrate: id => session.migrate(id, session.local_peer),
    refuse_claim: id => session.refuse_claim(id, 1),
    call_owner: id => session.call_owner(id, "shout", {}),
    request_owner: id => session.request_owner(id, "shout", {}),
  };
  for (const [name, call] of Object.entries(calls))
    for (const id of [ball + 0.5, 2 ** 48 + ball, -1, NaN, String(ball), undefined])
      assert.throws(() => call(id), error =>
        /^RangeError: an object is .*, expected an integer from 0 to 281474976710655$/
          .test(String(error)) || assert.fail(`${name}(${id}): ${error}`));
  assert.ok(session.exists(ball));
}));

test("ids of peers are integers of 16 bits", with_pair(pair => {
  pair.open();
  const session = pair.host, ball = session.create("ball"), other = pair.guest.local_peer;
  const calls = {
    peer_name: id => session.peer_name(id), admit: id => session.admit(id),
    refuse: id => session.refuse(id, "no"), remove: id => session.remove(id),
    migrate: id => session.migrate(ball, id), refuse_claim: id => session.refuse_claim(ball, id),
    call: id => session.call(id, "shout", {}), request: id => session.request(id, "shout", {}),
    reply: id => session.reply({peer: id, call: 1}, "length", {}),
  };
  for (const [name, call] of Object.entries(calls))
    for (const id of [other + 65536, other + 0.5, -1, String(other), undefined])
      assert.throws(() => call(id), error =>
        /^RangeError: a peer is .*, expected an integer from 0 to 65535$/.test(String(error)) ||
          assert.fail(`${name}(${id}): ${error}`));
  assert.deepEqual(session.other_peers, [other]);
}));

test("numbers do not wrap, and only booleans are booleans", with_pair(pair => {
  pair.open();
  const {host, network} = pair, ball = host.create("ball"), wraps = 2 ** 32 + 5;
  const wrong = [
    [() => host.request(host_id, "shout", {}, wraps), /timeout_ms is 4294967301/],
    [() => host.request_owner(ball, "shout", {}, wraps), /timeout_ms is 4294967301/],
    [() => host.reply({peer: 1, call: wraps}, "length", {}), /a call is 4294967301/],
    [() => network.cut(65537, 2), /a port is 65537/], [() => network.cut(1, 65538), /65538/],
    [() => network.impair({latency_ms_min: wraps}), /latency_ms_min is 4294967301/],
    [() => network.impair({loss: "0"}), /loss is a string, expected a number/],
    [() => network.cut(1, 2, "no"), /cut is a string, expected a boolean/],
    [() => host.call(everyone, "shout", {}, 1), /reliable is a number, expected a boolean/],
    [() => host.claim(ball, {}), /optimistic is a object, expected a boolean/],
    [() => host.lock(ball, "false"), /locked is a string, expected a boolean/],
    [() => tern.make_session(types, {ask_to_admit: "no"}), /ask_to_admit is a string/],
    [() => tern.make_session([{...types[0], predicted: 1}]), /ball: predicted is a number/],
    [() => tern.make_session([{name: "a", fields: [{name: "x", kind: "int8", max: "5"}]}]),
     /a\.x: max is a string, expected a number/],
  ];
  for (const [call, message] of wrong) assert.throws(call, message);
}));

// No method that only reads can be called wrongly once its arguments are checked. So the test notes
// a misuse before each call, without taking it.
test("what only reads throws a noted misuse", with_pair(pair => {
  pair.open();
  const session = pair.host, ball = session.create("ball");
  const reads = {
    state: () => session.state, state_text: () => session.state_text,
    local_peer: () => session.local_peer, host_peer: () => session.host_peer,
    peer_name: () => session.peer_name(1), other_peers: () => session.other_peers,
    creations_left: () => session.creations_left("ball"), exists: () => session.exists(ball),
    owner: () => session.owner(ball), may_set: () => session.may_set(ball),
    get: () => session.get(ball), sample: () => session.sample(ball, 0),
    object_ids: () => session.object_ids("ball"), is_claiming: () => session.is_claiming(ball),
    read_column: () => session.read_column("ball", "x", new Float32Array(1)),
    world_digest: () => session.world_digest,
  };
  for (const [name, read] of Object.entries(reads)) {
    tern._module._js_owner(session._at, ball + 1);
    assert.throws(read, error => error instanceof Misuse && /^object_owner\(\)/.test(error.message),
                  name);
    read();
  }
}));

test("a wrong call throws what to do", with_pair(pair => {
  pair.open();
  const ball = pair.host.create("ball");
  pair.until(() => pair.guest.exists(ball));
  assert.throws(() => pair.guest.set(ball, {x: 1}),
                error => error instanceof Misuse &&
                  /^set\(\): .*belongs to peer 1.*claim/.test(error.message));
  assert.throws(() => pair.host.start(), /has begun before/);
  assert.throws(() => pair.host.set(ball + 1, {}), Misuse);
  assert.throws(() => pair.host.create("bal"), /there is no type "bal"/);
  pair.tick(); // Nothing is left of the mistakes.
}));

test("wrong values are refused", with_pair(pair => {
  pair.open();
  const wrong = {
    i8: [128, "all.i8 is 128, expected an integer from -128 to 127"],
    u16: [1.5, "all.u16 is 1.5, expected an integer from 0 to 65535"],
    u64: [-1n, "all.u64 is -1, expected"], i64: ["1", "all.i64 is a string, expected a bigint"],
    yes: [1, "all.yes is a number, expected a boolean"],
    f: [[1], "all.f has 1 elements, expected 2"], q: [5, "expected an array of 4"],
    text: ["x".repeat(16), "all.text has 16 bytes, expected 15 at most"],
    bytes: ["abc", "all.bytes is a string, expected a Uint8Array"],
    nothing: [1, "no field nothing"],
  };
  for (const [name, [value, message]] of Object.entries(wrong))
    assert.throws(() => pair.host.create("all", {[name]: value}),
                  error => error.message.includes(message) || assert.fail(error.message));
  assert.throws(() => pair.host.create("ball", {x: NaN}), Misuse);
  assert.deepEqual(pair.host.object_ids("all"), []);
}));

test("wrong declarations are refused", () => {
  const ball = types[0];
  const wrong = [
    [[{name: "a", fields: [{name: "x", kind: "float"}]}], {}, /a\.x: there is no kind "float"/],
    [[{name: "a", fields: [{name: "x", kind: "int8", cout: 2}]}], {}, /there is no option cout/],
    [[{name: "a", fields: [{name: "x", kind: "int8", count: 0}]}], {}, /count is 0/],
    [[{name: "a", field: []}], {}, /there is no option field,/],
    [[{...ball, orphan: "gone"}], {}, /orphan is "gone", expected one of to_host/],
    [[ball, ball], {}, /both named ball/],
    [[ball], {peers_max: 99}, /peers_max 99/],
    [[ball], {topology: "ring"}, /topology is "ring", expected one of mesh, star/],
    [[ball], {peer_max: 9}, /no option peer_max/],
    [[{...ball, objects_max: 2 ** 24}], {}, /memory/],
    [[{...ball, objects_max: -1}], {}, /ball: objects_max is -1, expected an integer from 0/],
    [[ball], {timeout_ms: "5"}, /timeout_ms is 5, expected an integer/],
    [[ball], {timeout_ms: 5}, /timeout_ms 5/],
  ];
  for (const [declared, options, message] of wrong)
    assert.throws(() => tern.make_session(declared, options), message);
});

test("texts and addresses that are none", () => {
  const session = tern.make_session(types);
  assert.throws(() => session.join("tern1-abc"), /the invite: it is cut short/);
  assert.throws(() => session.join("hello"), {result: "bad_invite"});
  assert.throws(() => session.call("everyone", "cheer"), /expected everyone, which tern.mjs exp/);
  assert.throws(() => session.join(5), /the invite is 5, expected a text/);
  assert.throws(() => address_of("localhost", 1), /"localhost" is no IPv4 address: expected/);
  assert.equal(ip_text(address_of("192.168.1.5", 1)), "192.168.1.5");
  assert.throws(() => ip_text({ip: new Uint8Array(16), port: 1}), /not of IPv4/);
  assert.equal(object_text(2 ** 32 + 12), "1.12");
  assert.throws(() => address_of("1.2.3.4", 70000), /a port is 70000/);
  assert.throws(() => session.make_invite({ip: [1, 2], port: 1}), /no ip of 16 bytes/);
  assert.throws(() => session.make_invite(address_of("1.2.3.4", 1)), /^Error: make_invite\(\): /);
  session.close();
  assert.throws(() => session.start(), /the session is closed/);
});

test("wrong networks are refused", () => {
  assert.throws(() => tern.make_network({loss: 2}), /out of range/);
  assert.throws(() => tern.make_network({lost: 1}), /no option lost/);
  const network = tern.make_network();
  network.make_socket(1);
  assert.throws(() => network.make_socket(1), /another socket of the network has port 1/);
  network.advance(5);
  assert.throws(() => network.advance(4), /would go back/);
  assert.throws(() => network.advance(NaN), /now_us is NaN, expected an integer from 0/);
  assert.throws(() => tern.make_network({seed: -1}), /seed is -1/);
  network.close();
  assert.throws(() => network.make_socket(2), /the network is closed/);
});

test("the version is that of the package", async () => {
  const {readFile} = await import("node:fs/promises");
  const text = await readFile(resolve(folder, "package.json"), "utf8");
  assert.equal(tern.version, JSON.parse(text).version);
});
