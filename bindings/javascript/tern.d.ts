// The types of tern.mjs. include/tern/tern.h says more about each function.

export type Integer =
  "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64";
export type Kind =
  Integer | "boolean" | "float32" | "quaternion" | "peer" | "object" | "text" | "bytes";

export interface Field {
  name: string;
  kind: Kind;
  /** The length of an array; of text and bytes in bytes, where text ends with a zero. */
  count?: number;
  /** A range, of integers and of float32. A value outside it is clamped. */
  min?: number;
  max?: number;
  /** The precision of a float32 with a range, or of a quaternion. */
  step?: number;
  /** The error that receivers may extrapolate with, of a float32 or a quaternion. */
  bound?: number;
}

/** A struct that is replicated as an object (objects_max), or sent as the arguments of calls. */
export interface Type {
  name: string;
  fields: readonly Field[];
  objects_max?: number;
  orphan?: "to_host" | "destroy" | "spread" | "ask_game" | "hold";
  claim?: "always" | "ask_game" | "never";
  callers?: "anybody" | "host" | "owner";
  owned_max?: number;
  claim_cooldown_ms?: number;
  claims_per_second_max?: number;
  calls_per_second_max?: number;
  predicted?: boolean;
}

export interface SessionOptions {
  name?: string;
  peers_max?: number;
  topology?: "mesh" | "star";
  quorum?: "majority" | "survivors";
  /** The host's game answers "join_asked" with admit() or refuse(). */
  ask_to_admit?: boolean;
  timeout_ms?: number;
  join_timeout_ms?: number;
  send_bytes_per_second_max?: number;
}

export type State =
  "idle" | "joining" | "open" | "cut_off" | "leaving" | "left" | "unreachable" | "refused_full" |
  "refused_types" | "refused_version" | "refused_secret" | "refused_by_game" | "removed" |
  "overflow";

/** The id of an object: an integer of 48 bits. */
export type ObjectId = number;
/** The id of a member. */
export type PeerId = number;

export type Value = boolean | number | bigint | string | Uint8Array | Value[];
/** The fields of a struct. 64-bit integers are bigints, a quaternion is an array of four. */
export type Fields = Record<string, Value>;
/** What may be given: also safe integers for 64-bit ones, and typed arrays for arrays. */
export type FieldsGiven =
  Record<string, Value | readonly (Value | readonly number[])[] | ArrayBufferView>;

interface ObjectMembers {
  object: ObjectId;
  /** The name of the type of the object. */
  type: string;
}
interface ClaimMembers {
  /** The claimer. */
  peer: PeerId;
  object: ObjectId;
  /** The name of its type, if this peer knows the object. */
  type?: string;
}
interface CallMembers {
  /** The caller; of "call_failed" the recipient. */
  peer: PeerId;
  type: string;
  /** The number of a call that awaits an answer, or was answered. */
  call?: number;
  /** The object to whose owner it went. */
  object?: ObjectId;
  arguments: Fields;
}

/** What has happened: a switch over `kind` selects the members. `previous` is what was before. */
export type Event =
  | {kind: "join_progress"}
  | {kind: "caught_up" | "peer_left" | "misbehaved" | "host_lost"; peer: PeerId}
  | {kind: "join_asked"; peer: PeerId; previous?: PeerId; name: string; payload: Uint8Array}
  | {kind: "peer_joined"; peer: PeerId; previous?: PeerId; name: string}
  | {kind: "host_changed"; peer: PeerId; previous?: PeerId}
  | ({kind: "object_created" | "object_changed" | "object_destroyed" | "object_hidden" |
      "object_shown"; owner?: PeerId} & ObjectMembers)
  | ({kind: "owner_changed" | "object_orphaned"; owner?: PeerId; previous?: PeerId} &
      ObjectMembers)
  | ({kind: "claim_asked" | "claim_granted"} & ClaimMembers)
  | ({kind: "claim_refused"; refusal: string} & ClaimMembers)
  | ({kind: "call" | "reply"} & CallMembers)
  | ({kind: "call_failed"; failure: string} & Partial<CallMembers>);
export type EventKind = Event["kind"];

export interface Address {
  /** An IPv6 address, or ::ffff:a.b.c.d for IPv4; any 16 bytes with a transport of your own. */
  ip: Uint8Array;
  port: number;
}

export interface Datagram extends Address {
  bytes: Uint8Array;
}

export type Column =
  Int8Array | Int16Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | Uint32Array |
  BigUint64Array | Float32Array;

/** A call that the game must not make. */
export class Misuse extends Error {}

/** What can fail in a right program. */
export class TernError extends Error {
  readonly result: "cut_off" | "no_room" | "gone" | "not_allowed" | "bad_invite" | "failed";
}

/** The host, for Session.call() and Session.request(). */
export const host: PeerId;
/** All other members, for Session.call(). */
export const everyone: PeerId;

/** Loads the module of WebAssembly. */
export function load(): Promise<Tern>;

/** The address of an IPv4 address as text. */
export function address_of(text: string, port: number): Address;
/** The IPv4 address of an address as text. Throws RangeError if it is not of IPv4. */
export function ip_text(address: Address): string;
/** An object as logs of tern name it, such as "1.12". */
export function object_text(object: ObjectId): string;

export interface Tern {
  readonly version: string;
  /** The largest datagram that a session sends; Session.receive() drops larger ones. */
  readonly datagram_bytes_max: number;
  /** The types must be equal on all peers. Throws TypeError or RangeError if an option is wrong. */
  make_session(types: readonly Type[], options?: SessionOptions): Session;
  make_network(options?: NetworkOptions): Network;
}

/**
 * This peer of one session. Wrong calls throw Misuse, others that fail TernError, and arguments
 * that are no values of their kind TypeError or RangeError.
 */
export interface Session {
  /** Frees its memory, and says no goodbye: leave(). */
  close(): void;

  start(): void;
  /** Throws TernError with "bad_invite" for a text that is no invite: show it to the player. */
  join(invite: string, payload?: Uint8Array): void;
  leave(): void;
  go_on(): void;
  readonly state: State;
  /** A sentence for people: what happened, and what to do. */
  readonly state_text: string;
  readonly local_peer: PeerId;
  readonly host_peer: PeerId;
  readonly other_peers: PeerId[];
  peer_name(peer: PeerId): string;
  make_invite(address: Address): string;
  admit(peer: PeerId): void;
  refuse(peer: PeerId, reason: string): void;
  remove(peer: PeerId): void;

  /**
   * Begins a tick. now_us: microseconds that never go back. It takes no datagram if one of them is
   * none or is too large, and throws TypeError or RangeError.
   */
  receive(from: SimSocket | Iterable<Datagram>, now_us: number): Event[];
  /** Ends a tick: gives datagrams to send, or sends them by the socket and gives none. */
  send(now_us: number, by?: SimSocket | null): Datagram[];

  create(type: string, value?: FieldsGiven): ObjectId;
  destroy(object: ObjectId): void;
  creations_left(type: string): number;
  exists(object: ObjectId): boolean;
  owner(object: ObjectId): PeerId;
  may_set(object: ObjectId): boolean;
  get(object: ObjectId): Fields | null;
  sample(object: ObjectId, at_us: number): Fields | null;
  /** Sets the fields that are given. */
  set(object: ObjectId, value: FieldsGiven): void;
  set_many(
    type: string, objects: readonly ObjectId[], values: readonly FieldsGiven[]): number;
  object_ids(type: string): ObjectId[];
  /** One field of all objects, in the order of object_ids(). Gives the number of objects. */
  read_column(type: string, field: string, into: Column): number;
  /**
   * Asks the host for an object: "claim_granted" or "claim_refused" follows, or nothing if this
   * peer owns it already.
   */
  claim(object: ObjectId, optimistic?: boolean): void;
  is_claiming(object: ObjectId): boolean;
  release(object: ObjectId): void;
  lock(object: ObjectId, locked?: boolean): void;
  migrate(object: ObjectId, to: PeerId): void;
  refuse_claim(object: ObjectId, claimer: PeerId): void;
  readonly world_digest: string;

  call(to: PeerId, type: string, value?: FieldsGiven, reliable?: boolean): void;
  call_owner(object: ObjectId, type: string, value?: FieldsGiven): number;
  request(to: PeerId, type: string, value?: FieldsGiven, timeout_ms?: number): number;
  request_owner(
    object: ObjectId, type: string, value?: FieldsGiven, timeout_ms?: number): number;
  /** Answers an event "call" that has a number. */
  reply(event: Event, type: string, value?: FieldsGiven): void;
}

export interface Impairment {
  latency_ms_min?: number;
  latency_ms_max?: number;
  /** Probabilities, 0 to 1. */
  loss?: number;
  duplicate?: number;
}

export interface NetworkOptions extends Impairment {
  seed?: number;
}

/** A simulated network. The same seed and the same calls give the same run. */
export interface Network {
  make_socket(port: number): SimSocket;
  impair(options: Impairment): void;
  cut(from: number, to: number, cut?: boolean): void;
  advance(now_us: number): void;
  close(): void;
}

export interface SimSocket {
  readonly address: Address;
  close(): void;
}
