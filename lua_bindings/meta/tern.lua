---@meta tern
-- Annotations of the module for editors with lua-language-server: put this folder into
-- Lua.workspace.library. This file is never run.
-- luacheck: ignore 212

-- The functions of the module. Sessions, sockets, networks, announcers and finders are userdata
-- with these functions as methods: session:set(...) is tern.set(session, ...). Peers, objects,
-- types and calls are numbers, which can be kept, compared and printed. A wrong argument raises an
-- error that names the function and the argument. What happens on the network never raises an
-- error: it shows in states and events.
---@class tern
local tern = {}

---@class tern.Session: tern
---@class tern.Socket: tern
---@class tern.SimNetwork: tern
---@class tern.Announcer: tern
---@class tern.Finder: tern

---@alias tern.Peer integer 1 to 65533; 0: none.
---@alias tern.Object integer An id that is never used again; 0: none.
---@alias tern.TypeId integer The position in `types`, from 0; or the type's name.
---@alias tern.FieldId integer|string The position in `fields`, from 1; or the field's name.
---@alias tern.Call integer The id of a call that is answered; 0: none.
---@alias tern.State
---| "idle"
---| "joining"
---| "open"
---| "cut_off"
---| "leaving"
---| "left"
---| "unreachable"
---| "refused_full"
---| "refused_types"
---| "refused_version"
---| "refused_secret"
---| "refused_by_game"
---| "removed"
---| "overflow"
---@alias tern.EventKind
---| "join_progress"
---| "caught_up"
---| "join_asked"
---| "peer_joined"
---| "peer_left"
---| "misbehaved"
---| "host_lost"
---| "host_changed"
---| "object_created"
---| "object_changed"
---| "object_destroyed"
---| "object_hidden"
---| "object_shown"
---| "owner_changed"
---| "object_orphaned"
---| "claim_asked"
---| "claim_granted"
---| "claim_refused"
---| "call"
---| "reply"
---| "call_failed"
---@alias tern.ClaimRefusal
---| "none"
---| "dead"
---| "unknown"
---| "policy"
---| "by_game"
---| "overtaken"
---| "locked"
---| "cooldown"
---| "quota"
---@alias tern.CallFailure
---| "none"
---| "dead"
---| "unknown"
---| "not_allowed"
---| "lost"
---| "no_reply"
---@alias tern.Breach
---| "none"
---| "malformed"
---| "forged"
---| "over_quota"
---| "equivocated"
---@alias tern.FieldKind
---| "boolean"
---| "int8"
---| "int16"
---| "int32"
---| "int64"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64"
---| "float32"
---| "quaternion"
---| "peer"
---| "object"
---| "text"
---| "bytes"
---| "values"

-- --- Sessions ---

-- A field of a type. A field has these Lua values: `count` numbers or booleans; 4 numbers for each
-- quaternion (x, y, z, w); one string for text and bytes; any one value for values. Text has at
-- most count - 1 bytes and no zeros. Shorter bytes are filled with zeros. int64 and uint64 can be
-- set up to 2^53; a larger value is read as the nearest number.
---@class tern.FieldOptions
---@field name string
---@field kind tern.FieldKind
---@field count? integer Array length; for text, bytes and values the capacity in bytes. 1.
---@field min? number With max: values are clamped to the range, and sent in few bits.
---@field max? number
---@field step? number For float32 with a range, and quaternion: values are rounded to it.
---@field bound? number For float32, quaternion: the error that receivers' extrapolation may have.

-- Types must be equal on all peers, and in the same order.
---@class tern.TypeOptions
---@field name string
---@field fields? tern.FieldOptions[] At most 64.
---@field objects_max? integer Objects alive at once in the session. 0, the default: only for calls.
---@field orphan? "to_host"|"destroy"|"spread"|"ask_game"|"hold" Who gets the orphans.
---@field claim? "always"|"ask_game"|"never" How the host answers claims.
---@field claim_cooldown_ms? integer How long after a grant the host refuses claims of the object.
---@field owned_max? integer The host refuses claims by a peer that owns so many; 0: no limit.
---@field claims_per_second_max? integer The limit for each claimer; 0: no limit.
---@field predicted? boolean Updates are coded as differences to a prediction of the motion.
---@field callers? "anybody"|"host"|"owner" Peers that may call; owner: of the object in a field.
---@field calls_per_second_max? integer The limit for each caller; 0: no limit.

-- start, update, stop, check and state have no effect here: programs that run scripts read them
-- from a game's table.
---@class tern.SessionOptions
---@field types? tern.TypeOptions[]
---@field peers_max? integer Members with this peer: 2 to 64, in a star to 512. 16.
---@field admission? "always"|"ask_game" ask_game: join_asked is answered by admit() or refuse().
---@field misbehaviour? "remove"|"ask_game" Whether the host removes members that break the rules.
---@field quorum? "majority"|"survivors" Which members may go on when others are lost.
---@field topology? "mesh"|"star" mesh: all peers are connected; star: each to the host only.
---@field name? string The name of this peer for others; cut to 31 bytes.
---@field send_bytes_per_second_max? integer Limit for each peer; 4096 or more.
---@field bridge_bytes_per_second_max? integer Limit of what is relayed for a pair; 4096 or more.
---@field forward_bytes_per_second_max? integer Limit of each member's calls to others, in a star.
---@field timeout_ms? integer Silence after which a peer counts as gone; 100 to 600000.
---@field join_timeout_ms? integer 100 to 600000.
---@field go_on_after_ms? integer How long it waits in cut_off before it goes on alone; 0: for ever.
---@field recording_bytes_max? integer 0 or at least 65536. A recording has the session's keys.
---@field start? function
---@field update? function
---@field stop? function
---@field check? function
---@field state? table

-- Allocates all memory that the session will ever use. The sum of all objects_max: at most 65536.
---@param options tern.SessionOptions
---@return tern.Session
function tern.make_session(options) end

-- Destroys the session at once, without waiting for the collector. Its later use is an error.
---@param session tern.Session
function tern.destroy_session(session) end

-- Starts the session as its first peer, which is the host. The state is open at once.
---@param session tern.Session
function tern.start(session) end

---@param session tern.Session
---@param invite string The text from invite().
---@param payload? string Data for the host's game: at most 256 bytes.
function tern.join(session, invite, payload) end

-- Leaves the session. Keep ticking until the state is left.
---@param session tern.Session
function tern.leave(session) end

-- In the state cut_off: goes on as the host of a new session with all objects.
---@param session tern.Session
function tern.go_on(session) end

---@param session tern.Session
---@return tern.State
function tern.state(session) end

-- The state as a sentence for people, with what to do about it.
---@param session tern.Session
---@return string
function tern.state_text(session) end

-- --- A tick: receive, play, send ---

-- Times are microseconds and never go back. Leave now_us out in all calls for a session, which then
-- use clock_us(), or give it in all of them.
---@param session tern.Session
---@param socket tern.Socket
---@param now_us? integer
---@return integer event_count
function tern.receive(session, socket, now_us) end

---@param session tern.Session
---@param socket tern.Socket
---@param now_us? integer
function tern.send(session, socket, now_us) end

-- An estimate of the host's clock.
---@param session tern.Session
---@param now_us? integer
---@return integer
function tern.session_clock_us(session, now_us) end

---@return integer
function tern.clock_us() end

---@param duration_us integer 0 to 1000000
function tern.sleep_us(duration_us) end

-- Takes the new part of the recording. It contains the session's keys and secret.
---@param session tern.Session
---@return string
function tern.recorded(session) end

-- --- The events of the last receive(), by number from 1 to its event count ---

-- Results that this kind of event does not have are 0.
---@param session tern.Session
---@param event integer
---@return tern.EventKind kind
---@return tern.Peer peer The peer that joined, left, asks, owns, calls or changed the object.
---@return tern.Object object
---@return tern.TypeId type
---@return tern.Peer previous owner_changed: the owner before. peer_joined: its former id.
---@return tern.Call call call: for reply(). reply, call_failed: the call that it answers.
function tern.event(session, event) end

---@param session tern.Session
---@return integer
function tern.event_count(session) end

-- For call and reply: the values of a field.
---@param session tern.Session
---@param event integer
---@param field tern.FieldId
---@return any ...
function tern.argument(session, event, field) end

-- For claim_refused.
---@param session tern.Session
---@param event integer
---@return tern.ClaimRefusal
function tern.refusal(session, event) end

-- For call_failed.
---@param session tern.Session
---@param event integer
---@return tern.CallFailure
function tern.failure(session, event) end

-- For misbehaved.
---@param session tern.Session
---@param event integer
---@return tern.Breach
function tern.breach(session, event) end

-- For object_changed and owner_changed: whether that field has changed.
---@param session tern.Session
---@param event integer
---@param field tern.FieldId
---@return boolean
function tern.changed(session, event, field) end

-- For join_progress: the objects that are here, and those expected.
---@param session tern.Session
---@param event integer
---@return integer here
---@return integer expected
function tern.progress(session, event) end

-- For join_asked and peer_joined: the peer's name; else "".
---@param session tern.Session
---@param event integer
---@return string
function tern.event_name(session, event) end

-- For join_asked: the payload of the newcomer's join(); else "".
---@param session tern.Session
---@param event integer
---@return string
function tern.payload(session, event) end

-- For owner_changed at the previous owner: how many ticks of its writes the new owner lacked.
---@param session tern.Session
---@param event integer
---@return integer
function tern.lost_ticks(session, event) end

---@class tern.Event
---@field index integer The number of the event, for argument(), changed() and the others.
---@field kind tern.EventKind
---@field peer tern.Peer
---@field object tern.Object
---@field type tern.TypeId
---@field previous tern.Peer
---@field call tern.Call
---@field refusal tern.ClaimRefusal
---@field failure tern.CallFailure
---@field breach tern.Breach
---@field lost_ticks integer
---@field name string

-- `for event in tern.events(session) do`. All events share one table: do not keep it.
---@param session tern.Session
---@return fun(session: tern.Session, event?: tern.Event): tern.Event?
---@return tern.Session
function tern.events(session) end

-- From now on dispatch() calls the function with each event of that kind. nil: no longer.
---@param session tern.Session
---@param kind tern.EventKind
---@param f? fun(event: tern.Event)
function tern.on(session, kind, f) end

-- Calls the functions of on(). Call it once after each receive(). An error in one of them is
-- raised, and later events are not dispatched.
---@param session tern.Session
function tern.dispatch(session) end

-- --- Peers ---

---@param session tern.Session
---@return tern.Peer # 0 until the host has admitted this peer.
function tern.self(session) end

---@param session tern.Session
---@return tern.Peer
function tern.host(session) end

-- `for _, peer in tern.peers(session) do`: all other members, ascending.
---@param session tern.Session
---@return fun(session: tern.Session, control: integer): integer?, tern.Peer?
---@return tern.Session
---@return integer
function tern.peers(session) end

---@param session tern.Session
---@param peer tern.Peer
---@return string # "" for an unknown peer.
function tern.peer_name(session, peer) end

---@class tern.Stats
---@field rtt_us integer 0 before the first sample.
---@field rtt_variance_us integer
---@field sent_datagrams integer
---@field sent_bytes integer
---@field received_datagrams integer
---@field received_bytes integer
---@field lost_datagrams integer
---@field malformed integer Breaches of the rules by this peer, like the next three.
---@field forged integer
---@field over_quota integer
---@field equivocated integer
---@field datagram_bytes integer The size of the largest datagrams sent to this peer.
---@field bridged boolean

-- Fills and returns the given table, so that it makes no garbage. Without one, makes a new table.
---@param session tern.Session
---@param peer tern.Peer
---@param table? table
---@return tern.Stats
function tern.stats(session, peer, table) end

---@class tern.SessionStats
---@field bad_datagrams integer
---@field objects integer Objects alive.
---@field owned integer Objects of this peer.
---@field migrations integer
---@field dead_ranges integer
---@field forwarded_datagrams integer
---@field forwarded_bytes integer
---@field not_forwarded integer
---@field refused_full integer
---@field refused_types integer
---@field refused_calls integer

---@param session tern.Session
---@param table? table
---@return tern.SessionStats
function tern.session_stats(session, table) end

---@class tern.TypeStats
---@field sent_bits integer
---@field received_bits integer
---@field sent_messages integer
---@field received_messages integer

---@param session tern.Session
---@param type tern.TypeId
---@param table? table
---@return tern.TypeStats
function tern.type_stats(session, type, table) end

---@class tern.TrafficRow
---@field kind string
---@field type? string
---@field field? string
---@field bits integer
---@field count integer

-- How the bits of all datagrams sent so far are divided among types, fields and overhead. Rows that
-- are empty are left out.
---@param session tern.Session
---@return tern.TrafficRow[]
function tern.traffic(session) end

-- A hash of 16 digits, which is equal on peers that have the same world.
---@param session tern.Session
---@return string
function tern.digest(session) end

---@class tern.Explanation
---@field why string
---@field text string A sentence for people.
---@field refusal tern.ClaimRefusal
---@field owner tern.Peer
---@field behind_ticks integer
---@field refused_us integer

-- Why `peer` has not got an object or its last change. For this peer itself: why the object is not
-- its own.
---@param session tern.Session
---@param object tern.Object
---@param peer tern.Peer
---@param table? table
---@return tern.Explanation
function tern.explain(session, object, peer, table) end

-- Answers join_asked.
---@param session tern.Session
---@param newcomer tern.Peer
function tern.admit(session, newcomer) end

---@param session tern.Session
---@param newcomer tern.Peer
---@param reason string The newcomer's state_text() has it.
function tern.refuse(session, newcomer, reason) end

-- On the host only. This host refuses the peer's key from then on.
---@param session tern.Session
---@param peer tern.Peer
function tern.remove(session, peer) end

-- On any open member. Every process that has the invite can join.
---@param session tern.Session
---@param address string The address at which others reach this process: "1.2.3.4:7777".
---@param ... string At most 3 more addresses.
---@return string
function tern.invite(session, address, ...) end

---@class tern.ParsedInvite
---@field session string 16 digits.
---@field addresses string[]

---@param text string
---@return tern.ParsedInvite?
---@return string? problem
function tern.parse_invite(text) end

-- --- Objects ---

-- nil: creations_left() is 0.
---@param session tern.Session
---@param type tern.TypeId
---@param values? table Values by field name; a list for a field with several. The rest is zero.
---@return tern.Object?
function tern.create(session, type, values) end

-- How many objects of a type create() can make now: each peer has a part of objects_max, and gets
-- more as it uses that up.
---@param session tern.Session
---@param type tern.TypeId
---@return integer
function tern.creations_left(session, type) end

-- On the owner only.
---@param session tern.Session
---@param object tern.Object
function tern.destroy(session, object) end

---@param session tern.Session
---@param object tern.Object
---@return boolean
function tern.exists(session, object) end

---@param session tern.Session
---@param object tern.Object
---@return tern.TypeId
function tern.type(session, object) end

---@param session tern.Session
---@param object tern.Object
---@return tern.Peer
function tern.owner(session, object) end

-- Whether it exists and this peer is the owner.
---@param session tern.Session
---@param object tern.Object
---@return boolean
function tern.owns(session, object) end

-- Whether this peer may set the object: it is the owner, or has claimed it as optimistic.
---@param session tern.Session
---@param object tern.Object
---@return boolean
function tern.may_set(session, object) end

-- The number of the object's tenure, which rises with each new one. 16 digits.
---@param session tern.Session
---@param object tern.Object
---@return string
function tern.stamp(session, object) end

-- Fastest with the field's name. object_values() is faster for a field of all objects.
---@param session tern.Session
---@param object tern.Object
---@param field tern.FieldId
---@return any ... All values of the field.
function tern.get(session, object, field) end

-- The value at a time on the clock of receive(): interpolated between the updates from the owner,
-- or extrapolated beyond them.
---@param session tern.Session
---@param object tern.Object
---@param field tern.FieldId
---@param at_us integer
---@return any ... All values of the field; nil if the object is not alive here.
function tern.sample(session, object, field, at_us) end

-- Requires may_set(). The next send() sends the change.
---@param session tern.Session
---@param object tern.Object
---@param field tern.FieldId
---@param ... any All values of the field.
function tern.set(session, object, field, ...) end

-- `for _, object in tern.objects(session, type) do`
---@param session tern.Session
---@param type tern.TypeId
---@return fun(session: tern.Session, control: integer): integer?, tern.Object?
---@return tern.Session
---@return integer
function tern.objects(session, type) end

-- Fills the table with all objects of a type, from 1 on, and removes what it has behind them.
-- Returns how many there are.
---@param session tern.Session
---@param type tern.TypeId
---@param objects tern.Object[]
---@return integer
function tern.object_ids(session, type, objects) end

-- Fills tables with a field of all objects of a type: one table for each value of the field (at
-- most 16), such as xs, ys and zs for a position. Element i belongs to element i of object_ids(),
-- until an object is created or destroyed or receive() is called. Makes no garbage once the tables
-- are large enough. Returns how many there are.
---@param session tern.Session
---@param type tern.TypeId
---@param field tern.FieldId
---@param values table
---@param ... table
---@return integer
function tern.object_values(session, type, field, values, ...) end

---@param session tern.Session
---@param type tern.TypeId
---@return integer
function tern.type_id(session, type) end

---@param session tern.Session
---@param type tern.TypeId
---@param field tern.FieldId
---@return integer
function tern.field_id(session, type, field) end

-- Asks the host for the object. The answer is one event, claim_granted or claim_refused. With
-- optimistic the object may be set at once. False, and nothing is asked: the number cannot be an
-- object, or too many claims of unknown objects are unanswered.
---@param session tern.Session
---@param object tern.Object
---@param mode? "wait"|"optimistic"
---@return boolean
function tern.claim(session, object, mode) end

-- On the owner: asks the host to take the object. It stays ours until owner_changed.
---@param session tern.Session
---@param object tern.Object
function tern.release(session, object) end

-- On the owner: the host refuses claims of the object while it is locked.
---@param session tern.Session
---@param object tern.Object
---@param locked boolean
function tern.lock(session, object, locked) end

-- On the host: gives an object to a member. False: the object is dead, or the peer is no member.
---@param session tern.Session
---@param object tern.Object
---@param to tern.Peer
---@return boolean
function tern.migrate(session, object, to) end

-- On the host: answers claim_asked.
---@param session tern.Session
---@param object tern.Object
---@param claimer tern.Peer
function tern.refuse_claim(session, object, claimer) end

-- Sets how often a peer is updated about an object; see tern.hpp. Call it on the peer that sends
-- the updates: the owner, or the host in a star. 0 hides the object. False: the peer is no member,
-- or gets the updates from another one.
---@param session tern.Session
---@param object tern.Object
---@param peer tern.Peer
---@param priority number
---@return boolean
function tern.set_priority(session, object, peer, priority) end

-- Whether the object is hidden from this peer.
---@param session tern.Session
---@param object tern.Object
---@return boolean
function tern.is_hidden(session, object) end

-- Sets the priorities of a type's objects for a peer by their distance from its position: 1 up to
-- near, 1/2 up to twice near, then 1/3 and so on; hidden beyond far. The field has 1 to 3 float32,
-- and as many numbers follow, which are the position.
---@param session tern.Session
---@param type tern.TypeId
---@param field tern.FieldId
---@param peer tern.Peer
---@param near number
---@param far number
---@param ... number
function tern.set_interest(session, type, field, peer, near, far, ...) end

-- On the host: gives each member about equally many objects of the type.
---@param session tern.Session
---@param type tern.TypeId
function tern.balance(session, type) end

-- --- Calls: the values of all fields of the type follow, in their order ---

-- Calls reliably; calls from one peer to another arrive in order. False: nothing was sent.
-- "everyone" is all other members, also if there are none.
---@param session tern.Session
---@param to tern.Peer|"everyone"|"host"
---@param type tern.TypeId
---@param ... any
---@return boolean
function tern.call(session, to, type, ...) end

---@param session tern.Session
---@param to tern.Peer|"everyone"
---@param type tern.TypeId
---@param ... any
---@return boolean
function tern.call_unreliable(session, to, type, ...) end

-- Calls the peer that owns the object when the call arrives. nil: nothing was sent.
---@param session tern.Session
---@param object tern.Object
---@param type tern.TypeId
---@param ... any
---@return tern.Call?
function tern.call_owner(session, object, type, ...) end

-- Calls and awaits an answer, which is one event, reply or call_failed. nil: nothing was sent.
---@param session tern.Session
---@param to tern.Peer|"host"
---@param type tern.TypeId
---@param ... any
---@return tern.Call?
function tern.request(session, to, type, ...) end

---@param session tern.Session
---@param object tern.Object
---@param type tern.TypeId
---@param ... any
---@return tern.Call?
function tern.request_owner(session, object, type, ...) end

-- Sets the time after which later requests fail with no_reply. 5000.
---@param session tern.Session
---@param timeout_ms integer 1 to 600000
function tern.request_timeout_ms(session, timeout_ms) end

-- Answers a call event whose call is not 0. False: nothing was sent.
---@param session tern.Session
---@param caller tern.Peer
---@param call tern.Call
---@param type tern.TypeId
---@param ... any
---@return boolean
function tern.reply(session, caller, call, type, ...) end

-- --- Sockets ---

---@param port integer 0: any free port.
---@param version? "v4"|"v6" v6 reaches IPv4 peers, too.
---@return tern.Socket?
---@return string? problem
function tern.make_udp_socket(port, version) end

---@param port integer
---@param peers_max integer 2 to 512
---@return tern.Socket?
---@return string? problem
function tern.make_enet_socket(port, peers_max) end

-- For announce() and find(). Use port 28376 for an announcer, and 0 for a finder.
---@param port integer
---@return tern.Socket?
---@return string? problem
function tern.make_discovery_socket(port) end

-- Closes the socket at once.
---@param socket tern.Socket
function tern.destroy_socket(socket) end

-- The address is the unspecified one; the port is the one that others reach.
---@param socket tern.Socket
---@return string
function tern.local_address(socket) end

---@class tern.SocketStats
---@field sent_datagrams integer
---@field sent_bytes integer
---@field received_datagrams integer
---@field received_bytes integer
---@field send_failures integer
---@field oversized integer

---@param socket tern.Socket
---@param table? table
---@return tern.SocketStats
function tern.socket_stats(socket, table) end

---@class tern.Impairment
---@field latency_ms_min? integer One way. 20.
---@field latency_ms_max? integer 80, at most 60000.
---@field loss? number 0 to 1. 0.
---@field duplicate? number 0 to 1. 0.

-- Makes a socket that impairs the datagrams that a real one sends. `socket` cannot be used
-- afterwards.
---@param socket tern.Socket
---@param impairment tern.Impairment
---@param seed? integer
---@return tern.Socket
function tern.impaired_socket(socket, impairment, seed) end

---@param text string "1.2.3.4:7777" or "[::1]:7777"
---@return string? text The address as tern prints it; nil: the text is no address.
---@return integer|string port_or_problem
function tern.parse_address(text) end

-- A random number from the system.
---@return integer
function tern.random_seed() end

-- --- The simulated network. A run depends on its seed alone ---

---@class tern.SimNetworkOptions: tern.Impairment
---@field seed? integer 1.
---@field datagrams_max? integer Datagrams in flight; further ones are lost.
---@field latency_ms_min? integer
---@field latency_ms_max? integer
---@field loss? number
---@field duplicate? number

---@param options? tern.SimNetworkOptions
---@return tern.SimNetwork
function tern.make_sim_network(options) end

-- Destroys the network once its sockets are destroyed too.
---@param network tern.SimNetwork
function tern.destroy_sim_network(network) end

---@param network tern.SimNetwork
---@param address string An address that no socket of the network has had. At most 1024 sockets.
---@return tern.Socket
function tern.make_sim_socket(network, address) end

-- Sets the time, and delivers the datagrams that are due.
---@param network tern.SimNetwork
---@param now_us integer
function tern.advance(network, now_us) end

---@param network tern.SimNetwork
---@param impairment tern.Impairment
function tern.set_impairment(network, impairment) end

-- Cuts one direction, or heals it. The other direction needs a call of its own.
---@param network tern.SimNetwork
---@param from string
---@param to string
---@param cut boolean
function tern.set_cut(network, from, to, cut) end

---@class tern.NetworkStats
---@field sent integer
---@field lost integer
---@field duplicated integer
---@field delivered integer

---@param network tern.SimNetwork
---@param table? table
---@return tern.NetworkStats
function tern.network_stats(network, table) end

---@param network tern.SimNetwork
---@return integer? # nil: no datagram is in flight.
function tern.next_delivery_us(network) end

-- --- Sessions of the local network ---

---@class tern.AnnouncerOptions
---@field game? string The name of the game, for finders.
---@field name? string The name of the session, for people.
---@field address string The game socket's local_address().
---@field open? boolean Announces the whole invite, so that everybody who finds it can join.

---@param options tern.AnnouncerOptions
---@return tern.Announcer
function tern.make_announcer(options) end

---@param announcer tern.Announcer
function tern.destroy_announcer(announcer) end

-- Call it once in each tick.
---@param announcer tern.Announcer
---@param session tern.Session
---@param socket tern.Socket
---@param now_us? integer
function tern.announce(announcer, session, socket, now_us) end

---@class tern.FinderOptions
---@field game? string The name of the game; without it, all games.
---@field port? integer The port of the announcers. 28376.
---@field session? tern.Session The session that would join: found.fit is then whether it could.

---@param options tern.FinderOptions
---@return tern.Finder
function tern.make_finder(options) end

---@param finder tern.Finder
function tern.destroy_finder(finder) end

-- Call it once in each tick.
---@param finder tern.Finder
---@param socket tern.Socket
---@param now_us? integer
function tern.find(finder, socket, now_us) end

---@class tern.FoundSession
---@field game string
---@field name string
---@field players integer
---@field peers_max integer
---@field fit "fits"|"full"|"other_limits"|"other_types"|"other_version"
---@field fit_text string A sentence for people.
---@field open boolean
---@field session string 16 digits.
---@field invite? string The invite, if the session is announced as open.
---@field last_seen_us integer

---@param finder tern.Finder
---@return tern.FoundSession[]
function tern.found(finder) end

-- How many datagrams an announcer received that were no queries, or a finder that were no answers.
---@param of tern.Announcer|tern.Finder
---@return integer
function tern.bad_datagrams(of) end

return tern
