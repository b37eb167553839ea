// Types and their fields: JavaScript's values in the structs that tern replicates.

// The kinds of tern_field_kind in their order, with the bytes of one element, and the typed array
// of many. Numbers of 64 bits are bigints, except ids of objects, which have 48 bits.
const kinds = [
  {name: "boolean", bytes: 1, column: Uint8Array},
  {name: "int8", bytes: 1, column: Int8Array, min: -128, max: 127},
  {name: "int16", bytes: 2, column: Int16Array, min: -32768, max: 32767},
  {name: "int32", bytes: 4, column: Int32Array, min: -(2 ** 31), max: 2 ** 31 - 1},
  {name: "int64", bytes: 8, column: BigInt64Array, min: -(2n ** 63n), max: 2n ** 63n - 1n},
  {name: "uint8", bytes: 1, column: Uint8Array, min: 0, max: 255},
  {name: "uint16", bytes: 2, column: Uint16Array, min: 0, max: 65535},
  {name: "uint32", bytes: 4, column: Uint32Array, min: 0, max: 2 ** 32 - 1},
  {name: "uint64", bytes: 8, column: BigUint64Array, min: 0n, max: 2n ** 64n - 1n},
  {name: "float32", bytes: 4, column: Float32Array},
  {name: "quaternion", bytes: 16, column: Float32Array},
  {name: "peer", bytes: 2, column: Uint16Array, min: 0, max: 65535},
  {name: "object", bytes: 8, column: BigUint64Array, min: 0, max: 2 ** 48 - 1},
  {name: "text", bytes: 1, column: Uint8Array},
  {name: "bytes", bytes: 1, column: Uint8Array},
];
const choices = {
  orphan: ["to_host", "destroy", "spread", "ask_game", "hold"],
  claim: ["always", "ask_game", "never"],
  callers: ["anybody", "host", "owner"],
  topology: ["mesh", "star"],
  quorum: ["majority", "survivors"],
};
const ranges = ["min", "max", "step", "bound"];
const field_options = ["name", "kind", "count", ...ranges];
const type_options = [
  "name", "fields", "objects_max", "orphan", "claim", "callers", "owned_max", "claim_cooldown_ms",
  "claims_per_second_max", "calls_per_second_max", "predicted",
];
const decoder = new TextDecoder(), encoder = new TextEncoder();

// The number of a choice by its name.
export function choice(what, options) {
  const number = choices[what].indexOf(options[what] ?? choices[what][0]);
  if (number < 0)
    throw new TypeError(
      `${what} is "${options[what]}", expected one of ${choices[what].join(", ")}`);
  return number;
}

export function check_options(what, options, known) {
  for (const name in options)
    if (!known.includes(name))
      throw new TypeError(
        `${what}: there is no option ${name}, expected one of ${known.join(", ")}`);
}

// These give the value if it is one, and throw otherwise. An option that is not given gets its
// default before.

export function whole(what, value, max = 2 ** 32 - 1, min = 0) {
  if (!Number.isInteger(value) || value < min || value > max)
    throw new RangeError(`${what} is ${String(value)}, expected an integer from ${min} to ${max}`);
  return value;
}

export function time_us(what, value) { return whole(what, value, Number.MAX_SAFE_INTEGER); }

export function real(what, value) {
  if (typeof value !== "number")
    throw new TypeError(`${what} is a ${typeof value}, expected a number`);
  return value;
}

export function flag(what, value) {
  if (typeof value !== "boolean")
    throw new TypeError(`${what} is a ${typeof value}, expected a boolean`);
  return value;
}

// An option that is a whole number, and 0 by default.
export function whole_option(what, value = 0, max = undefined) { return whole(what, value, max); }

export class Field {
  constructor(type_name, given, offset) {
    this.name = given.name;
    this.path = `${type_name}.${given.name}`;
    this.kind = kinds.find(kind => kind.name === given.kind);
    this.count = given.count ?? 1;
    this.offset = offset;
    this.bytes = this.kind.bytes * Math.max(this.count, 1);
  }

  read(view, at) {
    at += this.offset;
    const kind = this.kind.name;
    if (kind === "text" || kind === "bytes") {
      const bytes = new Uint8Array(view.buffer, at, this.count).slice();
      if (kind === "bytes") return bytes;
      const end = bytes.indexOf(0);
      return decoder.decode(bytes.subarray(0, end < 0 ? this.count : end));
    }
    if (this.count === 1) return this._read_one(view, at);
    const stride = this.kind.bytes;
    return Array.from({length: this.count}, (_, i) => this._read_one(view, at + i * stride));
  }

  _read_one(view, at) {
    switch (this.kind.name) {
      case "boolean": return view.getUint8(at) !== 0;
      case "int8": return view.getInt8(at);
      case "int16": return view.getInt16(at, true);
      case "int32": return view.getInt32(at, true);
      case "int64": return view.getBigInt64(at, true);
      case "uint8": return view.getUint8(at);
      case "uint16": case "peer": return view.getUint16(at, true);
      case "uint32": return view.getUint32(at, true);
      case "uint64": return view.getBigUint64(at, true);
      case "object": return Number(view.getBigUint64(at, true));
      case "float32": return view.getFloat32(at, true);
      default: return [0, 4, 8, 12].map(i => view.getFloat32(at + i, true));
    }
  }

  write(view, at, value) {
    at += this.offset;
    if (this.kind.name === "text" || this.kind.name === "bytes")
      return this._write_bytes(view, at, value);
    if (this.count === 1) return this._write_one(view, at, value);
    this._check_length(value, this.count);
    for (let i = 0; i < this.count; ++i) this._write_one(view, at + i * this.kind.bytes, value[i]);
  }

  // What a new struct has, if nothing is given and zeros are no value.
  write_default(view, at) {
    if (this.kind.name !== "quaternion") return;
    for (let i = 0; i < this.count; ++i) view.setFloat32(at + this.offset + 16 * i + 12, 1, true);
  }

  _check_length(value, count) {
    if (!Array.isArray(value) && !ArrayBuffer.isView(value))
      throw new TypeError(`${this.path} is a ${typeof value}, expected an array of ${count}`);
    if (value.length !== count)
      throw new RangeError(`${this.path} has ${value.length} elements, expected ${count}`);
  }

  _write_bytes(view, at, value) {
    const is_text = this.kind.name === "text";
    if (is_text ? typeof value !== "string" : !(value instanceof Uint8Array))
      throw new TypeError(
        `${this.path} is a ${typeof value}, expected a ${is_text ? "string" : "Uint8Array"}`);
    const bytes = is_text ? encoder.encode(value) : value;
    const room = is_text ? this.count - 1 : this.count;
    if (bytes.length > room)
      throw new RangeError(`${this.path} has ${bytes.length} bytes, expected ${room} at most`);
    const all = new Uint8Array(view.buffer, at, this.count);
    all.fill(0);
    all.set(bytes);
  }

  _checked_number(value) {
    const {min, max} = this.kind;
    const is_big = typeof max === "bigint";
    if (is_big && Number.isSafeInteger(value)) value = BigInt(value);
    if (typeof value !== (is_big ? "bigint" : "number"))
      throw new TypeError(
        `${this.path} is a ${typeof value}, expected a ${is_big ? "bigint" : "number"}`);
    if (min !== undefined && ((!is_big && !Number.isInteger(value)) || value < min || value > max))
      throw new RangeError(`${this.path} is ${value}, expected an integer from ${min} to ${max}`);
    return value;
  }

  _write_one(view, at, value) {
    const kind = this.kind.name;
    if (kind === "boolean") {
      if (typeof value !== "boolean")
        throw new TypeError(`${this.path} is a ${typeof value}, expected a boolean`);
      return view.setUint8(at, value ? 1 : 0);
    }
    if (kind === "quaternion") {
      this._check_length(value, 4);
      for (let i = 0; i < 4; ++i)
        view.setFloat32(at + 4 * i, this._checked_number(value[i]), true);
      return undefined;
    }
    value = this._checked_number(value);
    switch (kind) {
      case "int8": return view.setInt8(at, value);
      case "int16": return view.setInt16(at, value, true);
      case "int32": return view.setInt32(at, value, true);
      case "int64": return view.setBigInt64(at, value, true);
      case "uint8": return view.setUint8(at, value);
      case "uint16": case "peer": return view.setUint16(at, value, true);
      case "uint32": return view.setUint32(at, value, true);
      case "uint64": return view.setBigUint64(at, value, true);
      case "object": return view.setBigUint64(at, BigInt(value), true);
      default: return view.setFloat32(at, value, true);
    }
  }
}

function check_fields(given) {
  check_options(`type ${given.name}`, given, type_options);
  if (!Array.isArray(given.fields))
    throw new TypeError(`type ${given.name}: expected an array of fields`);
  for (const field of given.fields) {
    check_options(`${given.name}.${field.name}`, field, field_options);
    if (!kinds.some(kind => kind.name === field.kind))
      throw new TypeError(`${given.name}.${field.name}: there is no kind "${field.kind}", ` +
        `expected one of ${kinds.map(kind => kind.name).join(", ")}`);
    const count = field.count ?? 1;
    if (!Number.isInteger(count) || count < 1 || count > 4096)
      throw new RangeError(`${given.name}.${field.name}: count is ${count}, expected 1 to 4096`);
  }
}

// One type of a session: the struct that tern replicates, and how its fields lie in it.
export class Type {
  constructor(tern, table, given, number) {
    const module = tern._module;
    check_fields(given);
    const count = (name, max) => whole_option(`${given.name}: ${name}`, given[name], max);
    const {predicted = false} = given;
    this.name = given.name;
    this.number = number;
    tern._with_text("the name of a type", given.name, name => module._js_add_type(
      table, name, count("objects_max"), choice("orphan", given), choice("claim", given),
      choice("callers", given), count("owned_max"), count("claim_cooldown_ms"),
      count("claims_per_second_max", 65535), count("calls_per_second_max", 65535),
      flag(`${given.name}: predicted`, predicted)));
    this.fields = given.fields.map(field => {
      const kind = kinds.findIndex(each => each.name === field.kind);
      const what = `${given.name}: the name of a field`;
      const offset = tern._with_text(what, field.name, name => module._js_add_field(
        table, name, kind, field.count ?? 0, ...ranges.map(
          option => real(`${given.name}.${field.name}: ${option}`, field[option] ?? 0))));
      return new Field(given.name, field, offset);
    });
    this.size_bytes = module._js_end_type(table);
  }

  field(name) {
    const field = this.fields.find(each => each.name === name);
    if (!field) throw new TypeError(`${this.name}: there is no field ${name}`);
    return field;
  }

  read(view, at) {
    const value = {};
    for (const field of this.fields) value[field.name] = field.read(view, at);
    return value;
  }

  // Writes the fields that are given.
  write(view, at, value) {
    if (typeof value !== "object" || value === null)
      throw new TypeError(`${this.name}: the value is no object with fields`);
    for (const name in value) this.field(name).write(view, at, value[name]);
  }
}
