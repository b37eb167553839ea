// tern for JavaScript: game objects that are replicated between peers, each with one owner. The
// module tern_wasm.mjs, which CMake builds with emscripten, has all of tern but UDP: a page passes
// datagrams by a transport of its own (WebRTC, a relay), node by node:dgram, and tests by the
// simulated network. tern.d.ts declares all of it.

import {Type, check_options, choice, flag, time_us, whole, whole_option} from "./fields.mjs";
import {Network, SimSocket} from "./network.mjs";
import make_module from "./tern_wasm.mjs";

const results = ["ok", "misuse", "cut_off", "no_room", "gone", "not_allowed"];
const session_options = [
  "name", "peers_max", "topology", "quorum", "ask_to_admit", "timeout_ms", "join_timeout_ms",
  "send_bytes_per_second_max",
];
const struct_bytes_max = 4096, room_bytes = 1024, payload_bytes_max = 256;

export const host = 0xfffe, everyone = 0xffff;

// A call that the game must not make: the message says what was wrong and what to do.
export class Misuse extends Error {}

// What can fail in a right program: `result` is "cut_off", "no_room", "gone", "not_allowed" or
// "bad_invite".
export class TernError extends Error {
  constructor(result, message) {
    super(message);
    this.result = result;
  }
}

// Loads the module. All else is made by what this gives.
export async function load() {
  const given = {};
  if (typeof process === "object" && process.versions?.node) {
    const fs = await import("node:fs/promises");
    given.wasmBinary = await fs.readFile(new URL("tern_wasm.wasm", import.meta.url));
    globalThis.crypto ??= (await import("node:crypto")).webcrypto;
  }
  return new Tern(await make_module(given));
}

class Tern {
  constructor(module) {
    this._module = module;
    this._scratch = module._malloc(struct_bytes_max + room_bytes); // A struct, then other data.
    this._room = this._scratch + struct_bytes_max;
  }

  get version() { return this._text(this._module._tern_version()); }

  // The largest datagram that a session sends; receive() drops larger ones.
  get datagram_bytes_max() { return this._module._js_datagram_bytes_max(); }

  make_session(types, options = {}) { return new Session(this, types, options); }

  make_network(options = {}) { return new Network(this, options); }

  _with_text(what, text, use) {
    if (typeof text !== "string") throw new TypeError(`${what} is ${text}, expected a text`);
    const module = this._module;
    const size = module.lengthBytesUTF8(text) + 1;
    return this._with_memory(size, at => {
      module.stringToUTF8(text, at, size);
      return use(at);
    });
  }

  _with_memory(size, use) {
    const at = this._module._malloc(size);
    if (at === 0) throw new RangeError(`there is no memory for ${size} bytes`);
    try {
      return use(at);
    } finally {
      this._module._free(at);
    }
  }

  _text(at) { return at === 0 ? null : this._module.UTF8ToString(at); }
}

function check_address({ip, port}) {
  if (!(ip instanceof Uint8Array) || ip.length !== 16)
    throw new TypeError("an address has no ip of 16 bytes; address_of() makes one");
  whole("a port", port, 65535);
}

function checked_object(object) { return whole("an object", object, 2 ** 48 - 1); }
function checked_peer(peer) { return whole("a peer", peer, 65535); }
function checked_recipient(to) {
  if (to === "host" || to === "everyone") // request() then refuses everyone.
    throw new TypeError(`a peer is "${to}", expected ${to}, which tern.mjs exports`);
  return checked_peer(to);
}

// An object as logs of tern name it, such as "1.12".
export function object_text(object) {
  return `${Math.floor(checked_object(object) / 2 ** 32)}.${object % 2 ** 32}`;
}

// The address {ip, port} of an IPv4 address as text.
export function address_of(text, port) {
  const parts = String(text).split(".").map(part => /^\d{1,3}$/.test(part) ? Number(part) : 256);
  if (parts.length !== 4 || parts.some(part => part > 255))
    throw new RangeError(`"${text}" is no IPv4 address: expected one such as 127.0.0.1`);
  const address = {ip: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...parts), port};
  check_address(address);
  return address;
}

// The IPv4 address of an address as text.
export function ip_text({ip}) {
  if (ip.slice(0, 12).some((byte, i) => byte !== (i < 10 ? 0 : 255)))
    throw new RangeError("the address is not of IPv4");
  return ip.slice(12).join(".");
}

export class Session {
  constructor(tern, types, options) {
    const module = tern._module;
    check_options("the session", options, session_options);
    const count = (name, max) => whole_option(name, options[name], max);
    const {name: own_name = "", ask_to_admit = false} = options;
    this._tern = tern;
    const table = module._js_make_table();
    try {
      this._types = types.map((given, number) => new Type(tern, table, given, number));
      this._js_session = tern._with_text("the name", own_name, name => module._js_make_session(
        table, name, count("peers_max", 65535), choice("topology", options),
        choice("quorum", options), flag("ask_to_admit", ask_to_admit), count("timeout_ms"),
        count("join_timeout_ms"), count("send_bytes_per_second_max"), tern._room));
    } catch (error) { // The session was not tried to be made, which would take the table.
      module._js_destroy_table(table);
      throw error;
    }
    if (this._js_session === 0) throw new RangeError(tern._text(tern._room));
  }

  close() {
    if (this._js_session) this._c._js_destroy_session(this._js_session);
    this._js_session = 0;
  }

  get _c() { return this._tern._module; }
  get _view() { return new DataView(this._c.HEAPU8.buffer); }
  get _at() {
    if (this._js_session === 0) throw new Misuse("the session is closed");
    return this._js_session;
  }
  get _session() { return this._c._js_session(this._at); }

  // Gives the value of the last call, and throws if the call was wrong. Each method ends its call
  // with this or with _done().
  _checked(value) {
    const misuse = this._tern._text(this._c._js_take_misuse(this._js_session));
    if (misuse) throw new Misuse(misuse);
    return value;
  }

  // Throws unless the result is that all went well.
  _done(result) {
    this._checked();
    if (result === 0) return;
    const text = this._tern._text(this._c._tern_result_text(result));
    throw new TernError(results[-result] ?? "failed", text);
  }

  _type(name) {
    const type = this._types.find(each => each.name === name);
    if (!type) throw new TypeError(`there is no type "${name}"`);
    return type;
  }

  // Writes a struct to the scratch memory, over what is at `from`.
  _write(type, value, from = 0) {
    const at = this._tern._scratch, view = this._view;
    if (from) {
      this._c.HEAPU8.copyWithin(at, from, from + type.size_bytes);
    } else {
      this._c.HEAPU8.fill(0, at, at + type.size_bytes);
      for (const field of type.fields) field.write_default(view, at);
    }
    type.write(view, at, value);
    return at;
  }

  // --- The session and its members ---

  start() { this._done(this._c._tern_start(this._session)); }

  join(invite, payload = new Uint8Array()) {
    if (!(payload instanceof Uint8Array) || payload.length > payload_bytes_max)
      throw new RangeError(`the payload is no Uint8Array of at most ${payload_bytes_max} bytes`);
    const session = this._at, room = this._tern._room, wrong_at = room + payload_bytes_max;
    this._c.HEAPU8.set(payload, room);
    const result = this._tern._with_text("the invite", invite, text =>
      this._c._js_join(session, text, room, payload.length, wrong_at));
    const wrong = this._view.getUint32(wrong_at, true);
    if (wrong) throw new TernError("bad_invite", "the invite: " + this._tern._text(wrong));
    this._done(result);
  }

  leave() { this._done(this._c._tern_leave(this._session)); }
  go_on() { this._done(this._c._tern_go_on(this._session)); }
  get state() {
    const state = this._checked(this._c._tern_session_state(this._session));
    return this._tern._text(this._c._tern_state_name(state));
  }
  get state_text() {
    return this._tern._text(this._checked(this._c._tern_state_text(this._session)));
  }
  get local_peer() { return this._checked(this._c._tern_local_peer(this._session)); }
  get host_peer() { return this._checked(this._c._tern_host_peer(this._session)); }
  peer_name(peer) {
    checked_peer(peer);
    return this._tern._text(this._checked(this._c._tern_peer_name(this._session, peer)));
  }

  get other_peers() {
    const room = this._tern._room;
    const at = this._checked(this._c._js_other_peers(this._at, room)), view = this._view;
    const count = view.getUint32(room, true);
    return Array.from({length: count}, (_, i) => view.getUint16(at + 2 * i, true));
  }

  // Newcomers reach this peer at the address {ip: 16 bytes, port}.
  make_invite(address) {
    check_address(address);
    const room = this._tern._room;
    this._c.HEAPU8.set(address.ip, room);
    this._done(this._c._js_make_invite(this._at, room, address.port, room + 16));
    return this._tern._text(room + 16);
  }

  // The game of the host answers "join_asked", and removes members.
  admit(peer) { this._done(this._c._js_admit(this._at, checked_peer(peer))); }
  refuse(peer, reason) {
    checked_peer(peer);
    this._done(this._tern._with_text("the reason", reason,
      text => this._c._js_refuse(this._at, peer, text)));
  }
  remove(peer) { this._done(this._c._js_remove(this._at, checked_peer(peer))); }

  // --- Ticks ---

  _socket(socket) {
    if (!(socket instanceof SimSocket) || socket._network._c !== this._c)
      throw new TypeError("the socket was not made by a network of the same module");
    return socket._open;
  }

  // All are checked before one is added: otherwise those before a wrong one would stay.
  _add_datagrams(given) {
    const datagrams = Array.from(given, ({ip, port, bytes}) => ({ip, port, bytes}));
    for (const {ip, port, bytes} of datagrams) {
      check_address({ip, port});
      if (!(bytes instanceof Uint8Array))
        throw new TypeError("a datagram has no Uint8Array of bytes");
    }
    const max = this._tern.datagram_bytes_max;
    for (const {ip, port, bytes} of datagrams) {
      if (bytes.length > max) continue; // No peer sent it; anybody else can.
      this._c.HEAPU8.set(ip, this._tern._room);
      const at = this._c._js_add_datagram(this._at, this._tern._room, port, bytes.length);
      this._c.HEAPU8.set(bytes, at);
    }
  }

  // A tick begins: with a socket of a Network, or datagrams [{ip, port, bytes}].
  receive(from, now_us) {
    const session = this._at;
    time_us("now_us", now_us);
    let count;
    if (from instanceof SimSocket) {
      count = this._c._js_receive_by(session, this._socket(from), now_us);
    } else {
      this._add_datagrams(from);
      count = this._c._js_receive(session, now_us);
    }
    this._checked();
    return Array.from({length: count}, (_, i) => this._event(i));
  }

  // A tick ends: sends by a socket of a Network, or gives the datagrams [{ip, port, bytes}].
  send(now_us, by = null) {
    time_us("now_us", now_us);
    if (by !== null) {
      this._checked(this._c._js_send_by(this._at, this._socket(by), now_us));
      return [];
    }
    const count = this._checked(this._c._js_send(this._at, now_us));
    return Array.from({length: count}, (_, i) => {
      this._c._js_datagram(this._js_session, i, this._tern._room);
      const [ip, port, at, size] = new Uint32Array(this._c.HEAPU8.buffer, this._tern._room, 4);
      const bytes = this._c.HEAPU8.slice(at, at + size);
      return {ip: this._c.HEAPU8.slice(ip, ip + 16), port, bytes};
    });
  }

  _event(i) {
    const room = this._tern._room;
    this._c._js_event(this._js_session, i, room);
    const [kind, peer, object, type, owner, previous, call, at, code, name, size] =
      new Float64Array(this._c.HEAPU8.buffer, room, 11);
    const event = {kind: this._tern._text(this._c._tern_event_kind_text(kind))};
    if (peer) event.peer = peer;
    if (object) event.object = object;
    const known = this._types[type];
    if (known) event.type = known.name;
    if (owner) event.owner = owner;
    if (previous) event.previous = previous;
    if (call) event.call = call;
    if (name) event.name = this._tern._text(name);
    if (event.kind === "join_asked") event.payload = this._c.HEAPU8.slice(at, at + size);
    else if (at) event.arguments = known.read(this._view, at);
    if (event.kind === "claim_refused")
      event.refusal = this._tern._text(this._c._tern_claim_refusal_text(code));
    if (event.kind === "call_failed")
      event.failure = this._tern._text(this._c._tern_call_failure_text(code));
    return event;
  }

  // --- Objects ---

  create(type_name, value = {}) {
    const type = this._type(type_name), room = this._tern._room;
    const at = this._write(type, value);
    this._done(this._c._js_create(this._at, type.number, at, type.size_bytes, room));
    return this._view.getFloat64(room, true);
  }

  destroy(object) { this._done(this._c._js_destroy(this._at, checked_object(object))); }
  creations_left(type_name) {
    const type = this._type(type_name);
    return this._checked(this._c._tern_creations_left(this._session, type.number));
  }
  exists(object) {
    return this._checked(this._c._js_exists(this._at, checked_object(object))) !== 0;
  }
  owner(object) { return this._checked(this._c._js_owner(this._at, checked_object(object))); }
  may_set(object) {
    return this._checked(this._c._js_may_set(this._at, checked_object(object))) !== 0;
  }

  _find(object) {
    const room = this._tern._room;
    const at = this._checked(this._c._js_find(this._at, checked_object(object), room));
    return {at, type: at === 0 ? null : this._types[this._view.getUint32(room, true)]};
  }

  // All fields; null: no such object can be read.
  get(object) {
    const {at, type} = this._find(object);
    return type ? type.read(this._view, at) : null;
  }

  // All fields as of at_us, for drawing: extrapolated or interpolated as tern_sample() does.
  sample(object, at_us) {
    time_us("at_us", at_us);
    const {type} = this._find(object);
    if (!type) return null;
    const at = this._tern._scratch;
    this._done(this._c._js_sample(this._at, object, at_us, at, type.size_bytes));
    return type.read(this._view, at);
  }

  // Sets the fields that are given.
  set(object, value) {
    const {at: from, type} = this._find(object);
    if (!type)
      throw new Misuse(`set(): No object ${object_text(object)} is known here. It may be ` +
                       "destroyed, or not have arrived yet: ask exists() first.");
    const at = this._write(type, value, from);
    this._done(this._c._js_set(this._at, object, at, type.size_bytes));
  }

  _objects(type) {
    const room = this._tern._room;
    const ids =
      this._checked(this._c._js_objects(this._at, type.number, type.size_bytes, room));
    const view = this._view;
    return {view, ids, count: view.getUint32(room, true), values: view.getUint32(room + 4, true)};
  }

  object_ids(type_name) {
    const {view, ids, count} = this._objects(this._type(type_name));
    return Array.from({length: count}, (_, i) => Number(view.getBigUint64(ids + 8 * i, true)));
  }

  // A field of all objects, in the order of object_ids(), into a typed array of its kind that is
  // large enough: an engine that draws a thousand objects calls once. Gives the number of objects.
  read_column(type_name, field_name, into) {
    const type = this._type(type_name), field = type.field(field_name), Column = field.kind.column;
    if (!(into instanceof Column))
      throw new TypeError(`${field.path}: expected a ${Column.name} to read into`);
    const {count, values} = this._objects(type);
    const parts = field.bytes / Column.BYTES_PER_ELEMENT;
    if (into.length < count * parts)
      throw new RangeError(
        `${field.path}: the array has ${into.length} elements, expected ${count * parts}`);
    const from = new Column(this._c.HEAPU8.buffer);
    const stride = type.size_bytes / Column.BYTES_PER_ELEMENT;
    let at = (values + field.offset) / Column.BYTES_PER_ELEMENT, to = 0;
    for (let i = 0; i < count; ++i, at += stride)
      for (let part = 0; part < parts; ++part) into[to++] = from[at + part];
    return count;
  }

  // Sets objects of one type at once, each to the fields that are given for it. Gives the number.
  set_many(type_name, objects, values) {
    const type = this._type(type_name);
    if (objects.length !== values.length)
      throw new RangeError(`there are ${objects.length} objects and ${values.length} values`);
    const ids_bytes = objects.length * 8;
    return this._tern._with_memory(ids_bytes + objects.length * type.size_bytes + 8, at => {
      objects.forEach((object, i) => {
        const found = this._find(object);
        const to = at + ids_bytes + i * type.size_bytes;
        if (found.type !== type)
          throw new Misuse(`set_many(): object ${object} is no ${type_name} that is known here`);
        this._c.HEAPU8.copyWithin(to, found.at, found.at + type.size_bytes);
        type.write(this._view, to, values[i]);
        this._view.setFloat64(at + 8 * i, object, true);
      });
      return this._checked(this._c._js_set_many(
        this._at, type.number, at, objects.length, at + ids_bytes, type.size_bytes));
    });
  }

  claim(object, optimistic = false) {
    flag("optimistic", optimistic);
    this._done(this._c._js_claim(this._at, checked_object(object), optimistic));
  }
  is_claiming(object) {
    return this._checked(this._c._js_is_claiming(this._at, checked_object(object))) !== 0;
  }
  release(object) { this._done(this._c._js_release(this._at, checked_object(object))); }
  lock(object, locked = true) {
    this._done(this._c._js_lock(this._at, checked_object(object), flag("locked", locked)));
  }

  // The game of the host answers "claim_asked", and gives objects to members.
  migrate(object, to) {
    this._done(this._c._js_migrate(this._at, checked_object(object), checked_peer(to)));
  }
  refuse_claim(object, claimer) {
    this._done(this._c._js_refuse_claim(this._at, checked_object(object), checked_peer(claimer)));
  }

  // Equal on peers that have the same world: 16 hexadecimal digits.
  get world_digest() {
    const half = upper => this._checked(this._c._js_digest(this._at, upper)) >>> 0;
    return [true, false].map(upper => half(upper).toString(16).padStart(8, "0")).join("");
  }

  // --- Calls. Those with an answer give the number of the event "reply" or "call_failed" ---

  call(to, type_name, value = {}, reliable = true) {
    checked_recipient(to);
    flag("reliable", reliable);
    const type = this._type(type_name), at = this._write(type, value);
    this._done(this._c._js_call(this._at, to, type.number, at, type.size_bytes, reliable));
  }

  call_owner(object, type_name, value = {}) {
    checked_object(object);
    const type = this._type(type_name), at = this._write(type, value), room = this._tern._room;
    this._done(this._c._js_call_owner(
      this._at, object, type.number, at, type.size_bytes, room));
    return this._view.getUint32(room, true);
  }

  request(to, type_name, value = {}, timeout_ms = 5000) {
    checked_recipient(to);
    whole("timeout_ms", timeout_ms);
    const type = this._type(type_name), at = this._write(type, value), room = this._tern._room;
    this._done(this._c._js_request(
      this._at, to, type.number, at, type.size_bytes, timeout_ms, room));
    return this._view.getUint32(room, true);
  }

  request_owner(object, type_name, value = {}, timeout_ms = 5000) {
    checked_object(object);
    whole("timeout_ms", timeout_ms);
    const type = this._type(type_name), at = this._write(type, value), room = this._tern._room;
    this._done(this._c._js_request_owner(
      this._at, object, type.number, at, type.size_bytes, timeout_ms, room));
    return this._view.getUint32(room, true);
  }

  reply(event, type_name, value = {}) {
    const {peer, call = 0} = event; // A call that awaits no answer has no number.
    checked_peer(peer);
    whole("a call", call);
    const type = this._type(type_name), at = this._write(type, value);
    this._done(this._c._js_reply(this._at, peer, call, type.number, at, type.size_bytes));
  }
}
