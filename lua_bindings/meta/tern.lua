---@meta tern
-- What editors know of the module (lua-language-server): put this folder into
-- Lua.workspace.library. It is never run.
-- luacheck: ignore 212

-- Everything that the module has. Sessions, sockets, networks, announcers and finders are values
-- of their own, whose methods are the same functions: session:set(...) is tern.set(session, ...).
-- Peers, objects, types and calls are numbers, which can be kept, compared and printed. A wrong
-- argument is an error that names function and argument; what the network can do is in states and
-- events, never in errors.
---@class tern
local tern = {}

---@class tern.Session: tern
---@class tern.Socket: tern
---@class tern.SimNetwork: tern
---@class tern.Announcer: tern
---@class tern.Finder: tern

---@alias tern.Peer integer 1 to 65533; 0 where there is none.
---@alias tern.Object integer Never used again; 0 where there is none.
---@alias tern.TypeId integer Its place in `types`, from 0 on; or the type's name.
---@alias tern.FieldId integer|string Its place in `fields`, from 1 on; or its name.
---@alias tern.Call integer Names a call that is answered.
---@alias tern.State
---| "idle"
---| "joining"
---| "open"
---| "leaving"
---| "left"
---| "unreachable"
---| "refused_full"
---| "refused_types"
---| "refused_version"
---| "refused_secret"
---| "refused_by_game"
---| "removed"
---| "minority"
---| "overflow"
---@alias tern.EventKind
---| "join_progress"
---| "caught_up"
---| "join_asked"
---| "peer_joined"
---| "peer_left"
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
---@alias tern.CallFailure
---| "none"
---| "dead"
---| "unknown"
---| "not_allowed"
---| "lost"
---| "no_reply"
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

-- A field of a type. The Lua values of one: `count` numbers or booleans; 4 numbers for each
-- quaternion (x, y, z, w); one string for text and bytes; any one value for values. Text is at most
-- count - 1 bytes without zeros; bytes that are shorter are filled up with zeros. int64 and uint64
-- are set up to 2^53; beyond that they are got as the nearest number.
---@class tern.FieldOptions
---@field name string
---@field kind tern.FieldKind
---@field count? integer Array length; of text, bytes and values the capacity in bytes. 1.
---@field min? number With max: what is set is clamped, and travels in few bits.
---@field max? number
---@field step? number Of float32 with a range, and quaternion: values are rounded to it.
---@field bound? number Of float32, quaternion: how far off may be what receivers extrapolate.

-- Equal on all peers, and in the same order.
---@class tern.TypeOptions
---@field name string
---@field fields? tern.FieldOptions[] At most 64.
---@field objects_max? integer Alive at once in the session. 0, the default: only for calls.
---@field orphan? "to_host"|"destroy"|"spread"|"ask_game" Fate of an object whose owner has left.
---@field claim? "always"|"ask_game"|"never" How the host answers claims.
---@field claim_cooldown_ms? integer After a grant the host refuses claims of the object so long.
---@field predicted? boolean Updates as differences to what the object's motion lets expect.
---@field callers? "anybody"|"host"|"owner" Whose calls are heard; owner: of the object field.
---@field calls_per_second_max? integer Of each caller; 0: no limit.

-- start, update, stop, check and state are of a game's table, for programs that run scripts: here
-- they do nothing.
---@class tern.SessionOptions
---@field types? tern.TypeOptions[]
---@field peers_max? integer With oneself: 2 to 64, in a star to 512. 16.
---@field admission? "always"|"ask_game" ask_game: join_asked is answered by admit() or refuse().
---@field quorum? "majority"|"survivors" Who goes on when members are lost.
---@field topology? "mesh"|"star" Who talks to whom.
---@field name? string Of this peer, shown to others; cut to 31 bytes.
---@field send_bytes_per_second_max? integer To each peer; 4096 or more.
---@field bridge_bytes_per_second_max? integer Forwarded for each pair without a path; 4096 or more.
---@field timeout_ms? integer Silence after which a peer is gone; 100 to 600000.
---@field join_timeout_ms? integer 100 to 600000.
---@field recording_bytes_max? integer Not 0: 65536 or more. A recording holds the session's keys.
---@field start? function
---@field update? function
---@field stop? function
---@field check? function
---@field state? table

-- Takes all the memory that it will ever use. All objects_max together: at most 65536.
---@param options tern.SessionOptions
---@return tern.Session
function tern.make_session(options) end

-- At once, not when it is collected. Using it afterwards is an error.
---@param session tern.Session
function tern.destroy_session(session) end

-- As the first peer, which is the host. Open at once.
---@param session tern.Session
function tern.start(session) end

---@param session tern.Session
---@param invite string As invite() gives it.
---@param payload? string For the host's game: at most 256 bytes.
function tern.join(session, invite, payload) end

-- Stops acting; keep ticking until the state is left.
---@param session tern.Session
function tern.leave(session) end

-- In the state minority: as the host of another session, with all objects.
---@param session tern.Session
function tern.go_on(session) end

---@param session tern.Session
---@return tern.State
function tern.state(session) end

-- A sentence for people: what, and what to do.
---@param session tern.Session
---@return string
function tern.state_text(session) end

-- --- A tick: receive, play, send ---

-- Times are microseconds that never go back: all of a session by clock_us(), or all given.
---@param session tern.Session
---@param socket tern.Socket
---@param now_us? integer
---@return integer event_count
function tern.receive(session, socket, now_us) end

---@param session tern.Session
---@param socket tern.Socket
---@param now_us? integer
function tern.send(session, socket, now_us) end

-- The host's clock, as estimated.
---@param session tern.Session
---@param now_us? integer
---@return integer
function tern.session_clock_us(session, now_us) end

---@return integer
function tern.clock_us() end

---@param duration_us integer 0 to 1000000
function tern.sleep_us(duration_us) end

-- What is new of the recording. It holds the session's keys and secret.
---@param session tern.Session
---@return string
function tern.recorded(session) end

-- --- Events: of the last receive(), by number, 1 to its event count ---

-- 0 where the kind has none.
---@param session tern.Session
---@param event integer
---@return tern.EventKind kind
---@return tern.Peer peer Who joined, left, asks, owns, calls, changed the object.
---@return tern.Object object
---@return tern.TypeId type
---@return tern.Peer previous owner_changed: the owner before.
---@return tern.Call call For reply(); or what a reply or call_failed answers.
function tern.event(session, event) end

---@param session tern.Session
---@return integer
function tern.event_count(session) end

-- Of a call or reply: the values of a field.
---@param session tern.Session
---@param event integer
---@param field tern.FieldId
---@return any ...
function tern.argument(session, event, field) end

-- Of claim_refused.
---@param session tern.Session
---@param event integer
---@return tern.ClaimRefusal
function tern.refusal(session, event) end

-- Of call_failed.
---@param session tern.Session
---@param event integer
---@return tern.CallFailure
function tern.failure(session, event) end

-- Of object_changed and owner_changed: whether that field did.
---@param session tern.Session
---@param event integer
---@param field tern.FieldId
---@return boolean
function tern.changed(session, event, field) end

-- Of join_progress.
---@param session tern.Session
---@param event integer
---@return integer here
---@return integer expected
function tern.progress(session, event) end

-- Of join_asked and peer_joined: who it is; else "".
---@param session tern.Session
---@param event integer
---@return string
function tern.event_name(session, event) end

-- Of join_asked: what the newcomer says; else "".
---@param session tern.Session
---@param event integer
---@return string
function tern.payload(session, event) end

-- Of owner_changed at the previous owner: ticks of its last writes that the new one did not have.
---@param session tern.Session
---@param event integer
---@return integer
function tern.lost_ticks(session, event) end

---@class tern.Event
---@field index integer Its number, as argument(), changed() and the like take it.
---@field kind tern.EventKind
---@field peer tern.Peer
---@field object tern.Object
---@field type tern.TypeId
---@field previous tern.Peer
---@field call tern.Call
---@field refusal tern.ClaimRefusal
---@field failure tern.CallFailure
---@field lost_ticks integer
---@field name string

-- `for event in tern.events(session) do`. One table, filled again and again: do not keep it.
---@param session tern.Session
---@return fun(session: tern.Session, event?: tern.Event): tern.Event?
---@return tern.Session
function tern.events(session) end

-- dispatch() calls the function with each event of that kind. nil: no more.
---@param session tern.Session
---@param kind tern.EventKind
---@param f? fun(event: tern.Event)
function tern.on(session, kind, f) end

-- Calls the functions of on(), once after each receive(). An error in one goes through; the events
-- after it are then not dispatched.
---@param session tern.Session
function tern.dispatch(session) end

-- --- Peers ---

---@param session tern.Session
---@return tern.Peer # 0 until welcomed.
function tern.self(session) end

---@param session tern.Session
---@return tern.Peer
function tern.host(session) end

-- `for _, peer in tern.peers(session) do`: all others, ascending.
---@param session tern.Session
---@return fun(session: tern.Session, control: integer): integer?, tern.Peer?
---@return tern.Session
---@return integer
function tern.peers(session) end

---@param session tern.Session
---@param peer tern.Peer
---@return string # "" for an unknown one.
function tern.peer_name(session, peer) end

---@class tern.Stats
---@field rtt_us integer 0 before the first sample.
---@field rtt_variance_us integer
---@field sent_datagrams integer
---@field sent_bytes integer
---@field received_datagrams integer
---@field received_bytes integer
---@field lost_datagrams integer
---@field bad_messages integer
---@field datagram_bytes integer The largest that is sent to it.
---@field bridged boolean

-- A table that is given is filled and returned: no garbage.
---@param session tern.Session
---@param peer tern.Peer
---@param table? table
---@return tern.Stats
function tern.stats(session, peer, table) end

---@class tern.SessionStats
---@field bad_datagrams integer
---@field objects integer Alive.
---@field owned integer By this peer.
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

-- Whose the bits of all datagrams sent so far were; the rows that are not empty.
---@param session tern.Session
---@return tern.TrafficRow[]
function tern.traffic(session) end

-- Equal on peers that have the same world. 16 digits.
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

-- Why `peer` has not got an object or its last change; of oneself why it is not ours.
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
---@param reason string Shown by state_text() there.
function tern.refuse(session, newcomer, reason) end

-- Only the host's. The peer's key cannot come back.
---@param session tern.Session
---@param peer tern.Peer
function tern.remove(session, peer) end

-- Of any open member; who has it can join.
---@param session tern.Session
---@param address string Where others reach this process: "1.2.3.4:7777".
---@param ... string At most 3 more.
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

-- nil if objects_max of the type are alive.
---@param session tern.Session
---@param type tern.TypeId
---@param values? table By the names of fields; a list for a field of several. The rest is zero.
---@return tern.Object?
function tern.create(session, type, values) end

-- Only the owner's.
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

-- The same, or this peer has claimed it as optimistic.
---@param session tern.Session
---@param object tern.Object
---@return boolean
function tern.may_set(session, object) end

-- Names the tenure; rises with each. 16 digits.
---@param session tern.Session
---@param object tern.Object
---@return string
function tern.stamp(session, object) end

---@param session tern.Session
---@param object tern.Object
---@param field tern.FieldId
---@return any ... As many as the field has.
function tern.get(session, object, field) end

---As of a time on the clock of receive(): between and beyond what the owner told.
---@param session tern.Session
---@param object tern.Object
---@param field tern.FieldId
---@param at_us integer
---@return any ... As many as the field has; nil if no such object is alive here.
function tern.sample(session, object, field, at_us) end

-- Only if may_set(). Goes out with the next send().
---@param session tern.Session
---@param object tern.Object
---@param field tern.FieldId
---@param ... any As many as the field has.
function tern.set(session, object, field, ...) end

-- `for _, object in tern.objects(session, type) do`
---@param session tern.Session
---@param type tern.TypeId
---@return fun(session: tern.Session, control: integer): integer?, tern.Object?
---@return tern.Session
---@return integer
function tern.objects(session, type) end

---@param session tern.Session
---@param type tern.TypeId
---@return integer
function tern.type_id(session, type) end

---@param session tern.Session
---@param type tern.TypeId
---@param field tern.FieldId
---@return integer
function tern.field_id(session, type, field) end

-- Asks the host. Answered once, by claim_granted or claim_refused. optimistic: may be set at once.
-- False, and nothing is asked, of a number that is no object's, and while more claims of unknown
-- objects are unanswered than a session keeps.
---@param session tern.Session
---@param object tern.Object
---@param mode? "wait"|"optimistic"
---@return boolean
function tern.claim(session, object, mode) end

-- The owner gives it up: the host is to own it.
---@param session tern.Session
---@param object tern.Object
function tern.release(session, object) end

-- The owner wants to keep it: claims are refused.
---@param session tern.Session
---@param object tern.Object
---@param locked boolean
function tern.lock(session, object, locked) end

-- The host gives an object to a member. False if it is dead, or no such member is there.
---@param session tern.Session
---@param object tern.Object
---@param to tern.Peer
---@return boolean
function tern.migrate(session, object, to) end

-- The host answers claim_asked.
---@param session tern.Session
---@param object tern.Object
---@param claimer tern.Peer
function tern.refuse_claim(session, object, claimer) end

-- How much a peer is told of an object that this peer tells it: tern.h. 0 hides it there; false if
-- that peer is no member, or hears of the object from another.
---@param session tern.Session
---@param object tern.Object
---@param peer tern.Peer
---@param priority number
---@return boolean
function tern.set_priority(session, object, peer, priority) end

-- From this peer.
---@param session tern.Session
---@param object tern.Object
---@return boolean
function tern.is_hidden(session, object) end

-- Priorities of a type's objects for a peer by their distance to where it looks from: 1 up to near,
-- 1/2 up to twice that, 1/3, and so on; hidden beyond far. The field: 1 to 3 float32, and as many
-- numbers follow.
---@param session tern.Session
---@param type tern.TypeId
---@param field tern.FieldId
---@param peer tern.Peer
---@param near number
---@param far number
---@param ... number
function tern.set_interest(session, type, field, peer, near, far, ...) end

-- The host evens out who owns how many.
---@param session tern.Session
---@param type tern.TypeId
function tern.balance(session, type) end

-- --- Calls: the values of all fields of the type follow, in their order ---

-- Reliable; in order from one peer to another. False if nothing was sent.
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

-- To whoever owns the object when it arrives. nil if nothing was sent.
---@param session tern.Session
---@param object tern.Object
---@param type tern.TypeId
---@param ... any
---@return tern.Call?
function tern.call_owner(session, object, type, ...) end

-- Answered once, by reply or call_failed. nil if nothing was sent.
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

-- After it, requests from now on fail with no_reply. 5000.
---@param session tern.Session
---@param timeout_ms integer 1 to 600000
function tern.request_timeout_ms(session, timeout_ms) end

-- Answers a call event whose call is not 0. False if nothing was sent.
---@param session tern.Session
---@param caller tern.Peer
---@param call tern.Call
---@param type tern.TypeId
---@param ... any
---@return boolean
function tern.reply(session, caller, call, type, ...) end

-- --- Sockets ---

---@param port integer 0: any.
---@param version? "v4"|"v6" v6 takes IPv4 peers, too.
---@return tern.Socket?
---@return string? problem
function tern.make_udp_socket(port, version) end

---@param port integer
---@param peers_max integer 2 to 512
---@return tern.Socket?
---@return string? problem
function tern.make_enet_socket(port, peers_max) end

-- For announce() and find(). 28376 for who announces, 0 for who finds.
---@param port integer
---@return tern.Socket?
---@return string? problem
function tern.make_discovery_socket(port) end

-- Gives the port back at once.
---@param socket tern.Socket
function tern.destroy_socket(socket) end

-- With the unspecified address: its port is what others reach.
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

-- A real socket whose outgoing datagrams suffer. `socket` is used up.
---@param socket tern.Socket
---@param impairment tern.Impairment
---@param seed? integer
---@return tern.Socket
function tern.impaired_socket(socket, impairment, seed) end

---@param text string "1.2.3.4:7777" or "[::1]:7777"
---@return string? text As it is printed.
---@return integer|string port_or_problem
function tern.parse_address(text) end

-- From the system's chance.
---@return integer
function tern.random_seed() end

-- --- The simulated network: same seed, same run ---

---@class tern.SimNetworkOptions: tern.Impairment
---@field seed? integer 1.
---@field datagrams_max? integer Under way; beyond that, lost.
---@field latency_ms_min? integer
---@field latency_ms_max? integer
---@field loss? number
---@field duplicate? number

---@param options? tern.SimNetworkOptions
---@return tern.SimNetwork
function tern.make_sim_network(options) end

-- It goes when its sockets have gone, too.
---@param network tern.SimNetwork
function tern.destroy_sim_network(network) end

---@param network tern.SimNetwork
---@param address string That no other socket of it has had. At most 1024 sockets.
---@return tern.Socket
function tern.make_sim_socket(network, address) end

-- Delivers what is due.
---@param network tern.SimNetwork
---@param now_us integer
function tern.advance(network, now_us) end

---@param network tern.SimNetwork
---@param impairment tern.Impairment
function tern.set_impairment(network, impairment) end

-- One way; the other is a cut of its own.
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
---@return integer? # nil: nothing is under way.
function tern.next_delivery_us(network) end

-- --- Sessions of the local network ---

---@class tern.AnnouncerOptions
---@field game? string Which game.
---@field name? string Of the session, for people.
---@field address string The game socket's local_address().
---@field open? boolean Tells the whole invite, so that who finds it can join.

---@param options tern.AnnouncerOptions
---@return tern.Announcer
function tern.make_announcer(options) end

---@param announcer tern.Announcer
function tern.destroy_announcer(announcer) end

-- Each tick.
---@param announcer tern.Announcer
---@param session tern.Session
---@param socket tern.Socket
---@param now_us? integer
function tern.announce(announcer, session, socket, now_us) end

---@class tern.FinderOptions
---@field game? string All games, if there is none.
---@field port? integer Where the announcers are. 28376.
---@field session? tern.Session Of who would join: found.fit then says whether it could.

---@param options tern.FinderOptions
---@return tern.Finder
function tern.make_finder(options) end

---@param finder tern.Finder
function tern.destroy_finder(finder) end

-- Each tick.
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
---@field invite? string If it is open.
---@field heard_us integer

---@param finder tern.Finder
---@return tern.FoundSession[]
function tern.found(finder) end

-- What was received and meant nothing.
---@param of tern.Announcer|tern.Finder
---@return integer
function tern.bad_datagrams(of) end

return tern
