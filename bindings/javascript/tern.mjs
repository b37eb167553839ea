// tern for JavaScript: game objects that are replicated between peers, each with one owner. The
// module tern_wasm.mjs, which CMake builds with emscripten, has all of tern but UDP: a page passes
// datagrams by a transport of its own (WebRTC, a relay), node by node:dgram, and tests by the
// simulated network. tern.d.ts declares all of it.

import make_module from "./tern_wasm.mjs";

const kinds = {
  boolean: 0, int8: 1, int16: 2, int32: 3, int64: 4, uint8: 5, uint16: 6, uint32: 7, uint64: 8,
  float32: 9, quaternion: 10, peer: 11, object: 12, text: 13, bytes: 14,
};
const states = [
  "idle", "joining", "open", "cut_off", "leaving", "left", "unreachable", "refused_full",
  "refused_types", "refused_version", "refused_secret", "refused_by_game", "removed", "overflow",
];
const element_bytes = [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 16, 2, 8, 1, 1];
const choices = {
  orphan: ["to_host", "destroy", "spread", "ask_game", "hold"],
  claim: ["always", "ask_game", "never"],
  callers: ["anybody", "host", "owner"],
  topology: ["mesh", "star"],
  quorum: ["majority", "survivors"],
};

export const host = 0xfffe, everyone = 0xffff;

// A call that the game must not make.
export class Misuse extends Error {}

function choice(of, options) {
  const number = choices[of].indexOf(options[of] ?? choices[of][0]);
  if (number < 0)
    throw new TypeError(`${of} is "${options[of]}", expected one of ${choices[of].join(", ")}`);
  return number;
}

// Loads the module. All else is made by what this gives.
export async function load() {
  return new Tern(await make_module());
}

class Tern {
  constructor(module) {
    this._module = module;
    this._scratch = module._malloc(4096 + 512); // A struct, then texts and numbers.
    this._room = this._scratch + 4096;
  }

  get version() { return this._module.UTF8ToString(this._module._tern_version()); }

  make_session(types, options = {}) { return new Session(this, types, options); }

  make_network(options = {}) { return new Network(this, options); }

  _with_text(text, use) {
    const module = this._module;
    const size = module.lengthBytesUTF8(text) + 1;
    const at = module._malloc(size);
    module.stringToUTF8(text, at, size);
    try {
      return use(at);
    } finally {
      module._free(at);
    }
  }

  _text(at) { return at === 0 ? null : this._module.UTF8ToString(at); }
}

// --- Types ---

class Field {
  constructor(given, offset) {
    this.name = given.name;
    this.kind = kinds[given.kind];
    this.count = given.count ?? 1;
    this.offset = offset;
  }

  read(view, at) {
    at += this.offset;
    if (this.kind === kinds.text) {
      const bytes = new Uint8Array(view.buffer, at, this.count);
      const end = bytes.indexOf(0);
      return new TextDecoder().decode(bytes.slice(0, end < 0 ? this.count : end));
    }
    if (this.kind === kinds.bytes) return new Uint8Array(view.buffer, at, this.count).slice();
    if (this.count === 1) return this._read_one(view, at);
    const all = [];
    for (let i = 0; i < this.count; ++i)
      all.push(this._read_one(view, at + i * element_bytes[this.kind]));
    return all;
  }

  _read_one(view, at) {
    switch (this.kind) {
      case kinds.boolean: return view.getUint8(at) !== 0;
      case kinds.int8: return view.getInt8(at);
      case kinds.int16: return view.getInt16(at, true);
      case kinds.int32: return view.getInt32(at, true);
      case kinds.int64: return view.getBigInt64(at, true);
      case kinds.uint8: return view.getUint8(at);
      case kinds.uint16: case kinds.peer: return view.getUint16(at, true);
      case kinds.uint32: return view.getUint32(at, true);
      case kinds.uint64: return view.getBigUint64(at, true);
      case kinds.object: return Number(view.getBigUint64(at, true));
      case kinds.float32: return view.getFloat32(at, true);
      default: return [0, 4, 8, 12].map(i => view.getFloat32(at + i, true));
    }
  }

  write(view, at, value) {
    at += this.offset;
    if (this.kind === kinds.text || this.kind === kinds.bytes) {
      const given = this.kind === kinds.text ? new TextEncoder().encode(value) : value;
      const room = this.kind === kinds.text ? this.count - 1 : this.count;
      if (given.length > room)
        throw new RangeError(`${this.name} has ${given.length} bytes, at most ${room}`);
      const bytes = new Uint8Array(view.buffer, at, this.count);
      bytes.fill(0);
      bytes.set(given);
      return;
    }
    if (this.count === 1) return this._write_one(view, at, value);
    if (value.length !== this.count)
      throw new RangeError(`${this.name} has ${value.length} values, expected ${this.count}`);
    for (let i = 0; i < this.count; ++i)
      this._write_one(view, at + i * element_bytes[this.kind], value[i]);
  }

  _write_one(view, at, value) {
    const expected = this.kind === kinds.int64 || this.kind === kinds.uint64 ? "bigint"
      : this.kind === kinds.boolean ? "boolean" : this.kind === kinds.quaternion ? "object" : "number";
    if (typeof value !== expected)
      throw new TypeError(`${this.name} is a ${typeof value}, expected a ${expected}`);
    switch (this.kind) {
      case kinds.boolean: return view.setUint8(at, value ? 1 : 0);
      case kinds.int8: return view.setInt8(at, value);
      case kinds.int16: return view.setInt16(at, value, true);
      case kinds.int32: return view.setInt32(at, value, true);
      case kinds.int64: return view.setBigInt64(at, value, true);
      case kinds.uint8: return view.setUint8(at, value);
      case kinds.uint16: case kinds.peer: return view.setUint16(at, value, true);
      case kinds.uint32: return view.setUint32(at, value, true);
      case kinds.uint64: return view.setBigUint64(at, value, true);
      case kinds.object: return view.setBigUint64(at, BigInt(value), true);
      case kinds.float32: return view.setFloat32(at, value, true);
      default: return value.forEach((part, i) => view.setFloat32(at + 4 * i, part, true));
    }
  }
}

class Type {
  constructor(tern, table, given, number) {
    const module = tern._module;
    this.name = given.name;
    this.number = number;
    tern._with_text(given.name, name => module._js_add_type(
      table, name, given.objects_max ?? 0, choice("orphan", given), choice("claim", given),
      choice("callers", given), given.owned_max ?? 0, given.claim_cooldown_ms ?? 0,
      given.claims_per_second_max ?? 0, given.calls_per_second_max ?? 0, given.predicted ?? false));
    this.fields = given.fields.map(field => {
      if (!(field.kind in kinds))
        throw new TypeError(`${given.name}.${field.name}: there is no kind "${field.kind}"`);
      const offset = tern._with_text(field.name, name => module._js_add_field(
        table, name, kinds[field.kind], field.count ?? 0, field.min ?? 0, field.max ?? 0,
        field.step ?? 0, field.bound ?? 0));
      return new Field(field, offset);
    });
    this.size_bytes = module._js_end_type(table);
  }

  read(view, at) {
    const value = {};
    for (const field of this.fields) value[field.name] = field.read(view, at);
    return value;
  }

  write(view, at, value) {
    for (const name in value)
      if (!this.fields.some(field => field.name === name))
        throw new TypeError(`${this.name}: there is no field ${name}`);
    for (const field of this.fields)
      if (field.name in value) field.write(view, at, value[field.name]);
  }
}

// --- Sessions ---

export class Session {
  constructor(tern, types, options) {
    const module = tern._module;
    this._tern = tern;
    const table = module._js_make_table();
    this._types = types.map((given, number) => new Type(tern, table, given, number));
    this._peer = tern._with_text(options.name ?? "", name => module._js_make_session(
      table, name, options.peers_max ?? 0, choice("topology", options), choice("quorum", options),
      options.ask_to_admit ?? false, options.timeout_ms ?? 0, tern._room));
    if (this._peer === 0) throw new RangeError(tern._text(tern._room));
    this._session = module._js_session(this._peer);
  }

  close() {
    if (this._peer) this._tern._module._js_destroy_session(this._peer);
    this._peer = 0;
  }

  get _c() { return this._tern._module; }
  get _view() { return new DataView(this._c.HEAPU8.buffer); }

  // Throws if the last call was wrong.
  _checked(value) {
    const misuse = this._tern._text(this._c._js_take_misuse(this._peer));
    if (misuse) throw new Misuse(misuse);
    return value;
  }

  _type(name) {
    const type = this._types.find(each => each.name === name);
    if (!type) throw new TypeError(`there is no type "${name}"`);
    return type;
  }

  // Writes a struct to the scratch memory, over what is at `from`.
  _write(type, value, from = 0) {
    const at = this._tern._scratch;
    if (from) this._c.HEAPU8.copyWithin(at, from, from + type.size_bytes);
    else this._c.HEAPU8.fill(0, at, at + type.size_bytes);
    type.write(this._view, at, value);
    return at;
  }

  start() { this._checked(this._c._tern_start(this._session)); }

  join(invite) {
    const wrong = this._tern._with_text(invite, text => this._c._js_join(this._peer, text));
    if (wrong) throw new RangeError("the invite: " + this._tern._text(wrong));
    this._checked();
  }

  leave() { this._checked(this._c._tern_leave(this._session)); }
  get state() { return states[this._c._tern_session_state(this._session)]; }
  get state_text() { return this._tern._text(this._c._tern_state_text(this._session)); }
  get local_peer() { return this._c._tern_local_peer(this._session); }
  get host_peer() { return this._c._tern_host_peer(this._session); }
  peer_name(peer) { return this._tern._text(this._c._tern_peer_name(this._session, peer)); }

  // For newcomers that reach this peer at an address {ip: 16 bytes, port}.
  make_invite({ip, port}) {
    const room = this._tern._room;
    this._c.HEAPU8.set(ip, room);
    const made = this._c._js_make_invite(this._peer, room, port, room + 16);
    this._checked();
    return made ? this._tern._text(room + 16) : "";
  }

  // A tick begins: with a socket of a Network, or datagrams [{ip, port, bytes}].
  receive(from, now_us) {
    let count;
    if (from instanceof SimSocket) {
      count = this._c._js_receive_by(this._peer, from._socket, now_us);
    } else {
      for (const {ip, port, bytes} of from) {
        this._c.HEAPU8.set(ip, this._tern._room);
        const at = this._c._js_add_datagram(this._peer, this._tern._room, port, bytes.length);
        this._c.HEAPU8.set(bytes, at);
      }
      count = this._c._js_receive(this._peer, now_us);
    }
    this._checked();
    return Array.from({length: count}, (_, i) => this._event(i));
  }

  // A tick ends: sends by a socket of a Network, or gives the datagrams [{ip, port, bytes}].
  send(now_us, by = null) {
    if (by) return this._checked(this._c._js_send_by(this._peer, by._socket, now_us));
    const count = this._checked(this._c._js_send(this._peer, now_us));
    return Array.from({length: count}, (_, i) => {
      this._c._js_datagram(this._peer, i, this._tern._room);
      const [ip, port, at, size] = new Uint32Array(this._c.HEAPU8.buffer, this._tern._room, 4);
      return {ip: this._c.HEAPU8.slice(ip, ip + 16), port, bytes: this._c.HEAPU8.slice(at, at + size)};
    });
  }

  _event(i) {
    const room = (this._tern._room + 7) & ~7;
    this._c._js_event(this._peer, i, room);
    const [kind, peer, object, type, owner, previous, call, at, code] =
      new Float64Array(this._c.HEAPU8.buffer, room, 9);
    const event = {kind: this._tern._text(this._c._tern_event_kind_text(kind)), peer};
    if (object) event.object = object;
    const known = this._types[type];
    if (known) event.type = known.name;
    if (owner) event.owner = owner;
    if (previous) event.previous = previous;
    if (call) event.call = call;
    if (at) event.arguments = known.read(this._view, at);
    if (event.kind === "claim_refused")
      event.refusal = this._tern._text(this._c._tern_claim_refusal_text(code));
    if (event.kind === "call_failed")
      event.failure = this._tern._text(this._c._tern_call_failure_text(code));
    return event;
  }

  // --- Objects ---

  create(type_name, value = {}) {
    const type = this._type(type_name);
    const at = this._write(type, value);
    return this._checked(this._c._js_create(this._peer, type.number, at, type.size_bytes));
  }

  destroy(object) { return this._checked(this._c._js_destroy(this._peer, object)) !== 0; }
  exists(object) { return this._c._js_exists(this._peer, object) !== 0; }
  owner(object) { return this._checked(this._c._js_owner(this._peer, object)); }
  may_set(object) { return this._c._js_may_set(this._peer, object) !== 0; }

  // All fields; null: no such object can be read.
  get(object) {
    const room = this._tern._room;
    const at = this._c._js_find(this._peer, object, room);
    return at === 0 ? null : this._types[this._view.getUint32(room, true)].read(this._view, at);
  }

  // Sets the fields that are given.
  set(object, value) {
    const room = this._tern._room;
    const from = this._c._js_find(this._peer, object, room);
    if (from === 0) throw new Misuse(`set(): object ${object} is not known here`);
    const type = this._types[this._view.getUint32(room, true)];
    const at = this._write(type, value, from);
    return this._checked(this._c._js_set(this._peer, object, at, type.size_bytes)) !== 0;
  }

  _objects(type) {
    const room = this._tern._room;
    const ids = this._c._js_objects(this._peer, type.number, type.size_bytes, room);
    const view = this._view;
    return {view, ids, count: view.getUint32(room, true), values: view.getUint32(room + 4, true)};
  }

  object_ids(type_name) {
    const {view, ids, count} = this._objects(this._type(type_name));
    return Array.from({length: count}, (_, i) => Number(view.getBigUint64(ids + 8 * i, true)));
  }

  // A float32 field of all objects, in the order of object_ids(), into a Float32Array that is large
  // enough: an engine that draws a thousand objects calls once. Gives the number of objects.
  read_floats(type_name, field_name, into) {
    const type = this._type(type_name);
    const field = type.fields.find(each => each.name === field_name);
    if (!field || field.kind !== kinds.float32)
      throw new TypeError(`${type_name} has no float32 field ${field_name}`);
    const {count, values} = this._objects(type);
    const from = new Float32Array(this._c.HEAPU8.buffer);
    const stride = type.size_bytes / 4;
    let at = (values + field.offset) / 4, to = 0;
    for (let i = 0; i < count; ++i, at += stride)
      for (let part = 0; part < field.count; ++part) into[to++] = from[at + part];
    return count;
  }

  claim(object, optimistic = false) {
    return this._checked(this._c._js_claim(this._peer, object, optimistic)) !== 0;
  }

  release(object) { return this._checked(this._c._js_release(this._peer, object)) !== 0; }

  // Equal on peers that have the same world: 16 hexadecimal digits.
  get world_digest() {
    const half = upper => (this._c._js_digest(this._peer, upper) >>> 0).toString(16).padStart(8, "0");
    return half(true) + half(false);
  }

  // --- Calls ---

  call(to, type_name, value = {}, reliable = true) {
    const type = this._type(type_name);
    const at = this._write(type, value);
    return this._checked(
      this._c._js_call(this._peer, to, type.number, at, type.size_bytes, reliable)) !== 0;
  }

  // Gives the number that the event "reply" or "call_failed" will have.
  request(to, type_name, value = {}, timeout_ms = 5000) {
    const type = this._type(type_name);
    const at = this._write(type, value);
    return this._checked(
      this._c._js_request(this._peer, to, type.number, at, type.size_bytes, timeout_ms));
  }

  reply(event, type_name, value = {}) {
    const type = this._type(type_name);
    const at = this._write(type, value);
    return this._checked(this._c._js_reply(
      this._peer, event.peer, event.call, type.number, at, type.size_bytes)) !== 0;
  }
}

// --- The simulated network ---

class SimSocket {
  constructor(network, port) {
    this._network = network;
    this.port = port;
    this.address = {ip: new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]), port};
    this._socket = network._tern._module._js_make_socket(network._network, port);
    if (this._socket === 0) throw new RangeError(`port ${port} is taken`);
  }

  close() {
    if (this._socket) this._network._tern._module._js_destroy_socket(this._socket);
    this._socket = 0;
  }
}

export class Network {
  constructor(tern, {seed = 1, latency_ms_min = 20, latency_ms_max = 80, loss = 0, duplicate = 0}) {
    this._tern = tern;
    this._network = tern._module._js_make_network(
      seed, latency_ms_min, latency_ms_max, loss, duplicate);
    if (this._network === 0) throw new RangeError("an impairment is out of range");
  }

  make_socket(port) { return new SimSocket(this, port); }

  impair({latency_ms_min = 20, latency_ms_max = 80, loss = 0, duplicate = 0}) {
    if (!this._tern._module._js_impair(
      this._network, latency_ms_min, latency_ms_max, loss, duplicate))
      throw new RangeError("an impairment is out of range");
  }

  // Datagrams from one port to another are lost, or not any more.
  cut(from, to, cut = true) { this._tern._module._js_cut(this._network, from, to, cut); }

  advance(now_us) {
    if (!this._tern._module._js_advance(this._network, now_us))
      throw new RangeError("the time of the network would go back");
  }

  close() {
    if (this._network) this._tern._module._js_destroy_network(this._network);
    this._network = 0;
  }
}
