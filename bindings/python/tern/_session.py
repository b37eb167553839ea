"""Sessions and their events."""

import ctypes

from . import _c as c
from ._fields import QUORUMS, TOPOLOGIES, choice, make_type
from ._sockets import Datagrams, Error, Misuse, clock_us, parse_address

SETTINGS = (
    "peers_max misbehaviour send_bytes_per_second_max bridge_bytes_per_second_max "
    "forward_bytes_per_second_max timeout_ms join_timeout_ms go_on_after_ms recording_bytes_max"
).split()

# The member of the union that each kind of event has, by tern_event_kind_text().
_PARTS = {
    "join_progress": "progress",
    "caught_up": "peer",
    "join_asked": "newcomer",
    "peer_joined": "newcomer",
    "peer_left": "peer",
    "misbehaved": "misbehaved",
    "host_lost": "peer",
    "host_changed": "host",
    "object_created": "object",
    "object_changed": "object",
    "object_destroyed": "object",
    "object_hidden": "object",
    "object_shown": "object",
    "owner_changed": "owner",
    "object_orphaned": "owner",
    "claim_asked": "claim",
    "claim_granted": "claim",
    "claim_refused": "claim",
    "call": "call",
    "reply": "call",
    "call_failed": "call",
}


class Event:
    """What has happened: `kind` ("object_created" and the like), and its members below.

    Its members are those of tern_event, by their names there: an event of an object has object,
    owner and type, one of a call arguments, caller and call. A type is the class, or None if it is
    unknown; arguments are a copy of the struct. What does not belong to the kind is None.
    """

    def __init__(self, kind, **members):
        self.kind = kind
        self.__dict__.update(members)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return None

    def __repr__(self):
        members = {name: value for name, value in self.__dict__.items() if name != "kind"}
        if members.get("type"):
            members["type"] = members["type"].__name__
        values = ", ".join("%s=%s" % (name, value) for name, value in members.items())
        return "<%s %s>" % (self.kind, values)


def _members_of(kind, part, value, session):
    if part == "peer":
        return {"peer": value}
    members = {name: getattr(value, name) for name, _ in value._fields_}
    if part == "newcomer":
        payload = members.pop("payload")
        size_bytes = members.pop("payload_bytes")
        members["payload"] = ctypes.string_at(payload, size_bytes) if payload else b""
        members["name"] = members["name"].decode(errors="replace") if members["name"] else ""
    if part == "object":
        members["object"] = members.pop("id")
    if part == "claim":
        members["refusal"] = c.lib.tern_claim_refusal_text(members["refusal"]).decode()
        if kind != "claim_refused":
            del members["refusal"]
    if "type" in members:
        members["type"] = session._struct_of(members["type"])
    if part == "call":
        arguments = members.pop("arguments")
        struct = members["type"]
        size_bytes = members.pop("argument_bytes")
        copied = struct.from_buffer_copy(ctypes.string_at(arguments, size_bytes)) if (
            struct and arguments
        ) else None
        members["arguments"] = copied
        members["call"] = members.pop("id")
        members["caller"] = members.pop("peer")
        members["failure"] = c.lib.tern_call_failure_text(members["failure"]).decode()
        if kind != "call_failed":
            del members["failure"]
    return members


class Session:
    """This process's peer of one session.

    types: subclasses of Object and Struct, equal on all peers. Settings are those of tern_config:
    name, peers_max, topology ("mesh", "star"), quorum ("majority", "survivors"), timeout_ms,
    join_timeout_ms, ask_to_admit (the game answers "join_asked" events), log (a function that gets
    lines), and those of SETTINGS.
    """

    def __init__(self, types, name="", topology="mesh", quorum="majority", ask_to_admit=False,
                 log=None, **settings):
        self._structs = list(types)
        self._numbers = {struct: number for number, struct in enumerate(self._structs)}
        self._misuses = []
        self._handler = c.MisuseHandler(self._note_misuse)
        self._log = c.LogLine((lambda _, line: log(line.decode())) if log else 0)
        array = (c.Type * len(self._structs))(*[make_type(struct) for struct in self._structs])
        config = c.Config(
            struct_size=ctypes.sizeof(c.Config),
            type_bytes=ctypes.sizeof(c.Type),
            field_bytes=ctypes.sizeof(c.Field),
            types=array,
            type_count=len(array),
            topology=choice(TOPOLOGIES, "topology", topology),
            quorum=choice(QUORUMS, "quorum", quorum),
            admission=int(ask_to_admit),
            name=name.encode(),
            misuse_handle=self._handler,
        )
        if log:
            config.log_line = self._log
        for key, value in settings.items():
            if key not in SETTINGS:
                raise TypeError(
                    "there is no setting %s; expected one of %s" % (key, ", ".join(SETTINGS))
                )
            setattr(config, key, value)
            if getattr(config, key) != value:
                raise ValueError("%s is %r, which does not fit" % (key, value))
        handle = c.void_p()
        result = c.lib.tern_make_session(ctypes.byref(config), ctypes.byref(handle))
        if result != c.OK:
            problem = ctypes.create_string_buffer(256)
            c.lib.tern_config_problem(ctypes.byref(config), problem)
            raise Error(result, problem.value.decode() or None)
        self._handle = handle

    def close(self):
        """Destroys the session without a goodbye; see leave()."""
        if "_handle" in self.__dict__:
            c.lib.tern_destroy_session(self._handle)
            del self._handle

    def __getattr__(self, name):
        if name == "_handle":
            raise ValueError("the session is closed")
        raise AttributeError("a Session has no %s" % name)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def _note_misuse(self, _, report):
        one = report.contents
        self._misuses.append((one.function.decode(), one.wrong.decode(), one.remedy.decode(),
                              one.object))

    def _checked(self, value):
        """What a function gave, if it was called rightly."""
        if self._misuses:
            misuse = Misuse(*self._misuses[0])
            self._misuses.clear()
            raise misuse
        return value

    def _done(self, result):
        self._checked(result)
        if result != c.OK:
            raise Error(result)

    def _struct_of(self, number):
        return self._structs[number] if number < len(self._structs) else None

    def _number_of(self, struct):
        if struct not in self._numbers:
            raise TypeError(
                "%s is no type of this session; expected one of %s"
                % (getattr(struct, "__name__", struct),
                   ", ".join(each.__name__ for each in self._structs))
            )
        return self._numbers[struct]

    # Beginning, end, ticks

    def start(self):
        """This peer is the first one, and the host."""
        self._done(c.lib.tern_start(self._handle))

    def join(self, invite, payload=b""):
        """Joins by the text of an invite. "caught_up" follows, or a state that state_text tells."""
        parsed = c.Invite()
        wrong = c.lib.tern_parse_invite(invite.encode(), ctypes.byref(parsed))
        if wrong:
            raise ValueError("the invite: " + wrong.decode())
        self._done(c.lib.tern_join(self._handle, ctypes.byref(parsed), payload, len(payload)))

    def leave(self):
        """Keep calling receive() and send() until the state is "left"."""
        self._done(c.lib.tern_leave(self._handle))

    def go_on(self):
        self._done(c.lib.tern_go_on(self._handle))

    @property
    def state(self):
        return c.lib.tern_state_name(
            self._checked(c.lib.tern_session_state(self._handle))
        ).decode()

    @property
    def state_text(self):
        return self._checked(c.lib.tern_state_text(self._handle)).decode()

    def receive(self, received, now_us=None):
        """A tick begins: takes a socket, or Datagrams, and gives the events."""
        datagrams = received if isinstance(received, Datagrams) else received.receive()
        now_us = clock_us() if now_us is None else now_us
        self._done(c.lib.tern_receive(self._handle, datagrams._pointer, len(datagrams), now_us))
        return self._events()

    def _events(self):
        pointer = c.void_p()
        count = c.lib.tern_events(self._handle, ctypes.byref(pointer))
        events = []
        for one in ctypes.cast(pointer, c.ref(c.Event))[:count] if count else []:
            kind = c.lib.tern_event_kind_text(one.kind).decode()
            part = _PARTS.get(kind)
            if part:
                members = _members_of(kind, part, getattr(one.of, part), self)
                events.append(Event(kind, **members))
        return events

    def send(self, socket=None, now_us=None):
        """A tick ends: sends by the socket. Without one: gives the Datagrams to send."""
        pointer = c.void_p()
        now_us = clock_us() if now_us is None else now_us
        count = c.lib.tern_send(self._handle, now_us, ctypes.byref(pointer))
        datagrams = self._checked(Datagrams(pointer, count))
        if socket is None:
            return datagrams
        socket.send(datagrams)
        return None

    # Invites and peers

    def make_invite(self, *addresses):
        """The text of an invite to this peer, at addresses such as "192.168.1.5:7777"."""
        array = (c.Address * len(addresses))(*[parse_address(each) for each in addresses])
        invite = c.Invite()
        self._done(
            c.lib.tern_make_invite(self._handle, array, len(array), ctypes.byref(invite))
        )
        printed = ctypes.create_string_buffer(256)
        c.lib.tern_invite_text(ctypes.byref(invite), printed)
        return printed.value.decode()

    @property
    def local_peer(self):
        return self._checked(c.lib.tern_local_peer(self._handle))

    @property
    def host_peer(self):
        return self._checked(c.lib.tern_host_peer(self._handle))

    @property
    def other_peers(self):
        pointer = c.ref(c.u16)()
        count = c.lib.tern_other_peers(self._handle, ctypes.byref(pointer))
        return self._checked(pointer[:count] if count else [])

    def peer_name(self, peer):
        return self._checked(c.lib.tern_peer_name(self._handle, peer)).decode(errors="replace")

    def admit(self, newcomer):
        self._done(c.lib.tern_admit(self._handle, newcomer))

    def refuse(self, newcomer, reason=""):
        self._done(c.lib.tern_refuse(self._handle, newcomer, reason.encode()))

    def remove(self, peer):
        """Kicks and bans."""
        self._done(c.lib.tern_remove(self._handle, peer))

    # Objects

    def create(self, value):
        """Gives the new object, a number. Error(NO_ROOM): creations_left() is 0."""
        made = c.u64()
        self._done(
            c.lib.tern_create(self._handle, self._number_of(type(value)), ctypes.byref(value),
                             ctypes.sizeof(value), ctypes.byref(made))
        )
        return made.value

    def creations_left(self, struct):
        return self._checked(c.lib.tern_creations_left(self._handle, self._number_of(struct)))

    def destroy(self, object):
        self._done(c.lib.tern_destroy(self._handle, object))

    def exists(self, object):
        return self._checked(c.lib.tern_exists(self._handle, object))

    def get(self, object):
        """A copy of the object's struct. None: no such object can be read."""
        number = c.u16()
        at = self._checked(c.lib.tern_find_value(self._handle, object, ctypes.byref(number)))
        if not at:
            return None
        struct = self._structs[number.value]
        return struct.from_buffer_copy(ctypes.string_at(at, ctypes.sizeof(struct)))

    def set(self, object, value):
        """The owner's. Other peers get the fields that have changed."""
        self._number_of(type(value))
        self._done(
            c.lib.tern_set(self._handle, object, ctypes.byref(value), ctypes.sizeof(value))
        )

    def may_set(self, object):
        return self._checked(c.lib.tern_may_set(self._handle, object))

    def owner(self, object):
        return self._checked(c.lib.tern_object_owner(self._handle, object))

    def object_ids(self, struct):
        """All objects of a type."""
        pointer = c.ref(c.u64)()
        count = c.lib.tern_object_ids(self._handle, self._number_of(struct), ctypes.byref(pointer))
        return self._checked(pointer[:count] if count else [])

    def values(self, struct):
        """The structs of object_ids(), in its order: an array of tern's own memory, without copies.

        It is valid until the next receive() or create(), and must not be written to. An object that
        was destroyed stays in it until then.
        numpy.frombuffer() takes it.
        """
        pointer = c.ref(c.u64)()
        number = self._number_of(struct)
        count = c.lib.tern_object_ids(self._handle, number, ctypes.byref(pointer))
        at = c.lib.tern_object_values(self._handle, number, ctypes.sizeof(struct))
        self._checked(None)
        return (struct * count).from_address(at) if count else (struct * 0)()

    def set_many(self, struct, objects, values):
        """Sets objects of one type to the structs in `values`, an array of the struct."""
        ids = (c.u64 * len(objects))(*objects)
        if len(values) != len(objects):
            raise ValueError("%u objects and %u values" % (len(objects), len(values)))
        return self._checked(
            c.lib.tern_set_many(self._handle, self._number_of(struct), ids, len(ids),
                               ctypes.byref(values), ctypes.sizeof(values))
        )

    def claim(self, object, optimistic=False):
        """Asks the host for an object. "claim_granted" or "claim_refused" follows."""
        self._done(c.lib.tern_claim(self._handle, object, int(optimistic)))

    def is_claiming(self, object):
        return self._checked(c.lib.tern_is_claiming(self._handle, object))

    def release(self, object):
        self._done(c.lib.tern_release_ownership(self._handle, object))

    def lock(self, object, locked=True):
        self._done(c.lib.tern_lock(self._handle, object, locked))

    def migrate(self, object, to):
        """On the host: gives an object to a peer, also as the answer to "claim_asked"."""
        self._done(c.lib.tern_migrate(self._handle, object, to))

    def refuse_claim(self, object, claimer):
        self._done(c.lib.tern_refuse_claim(self._handle, object, claimer))

    @property
    def world_digest(self):
        """Equal on peers that have the same world."""
        return self._checked(c.lib.tern_world_digest(self._handle))

    # Calls

    def call(self, to, arguments, reliable=True):
        """`to`: a peer, tern.EVERYONE or tern.HOST."""
        self._done(
            c.lib.tern_call(self._handle, to, self._number_of(type(arguments)),
                           ctypes.byref(arguments), ctypes.sizeof(arguments), int(not reliable))
        )

    def call_owner(self, object, arguments):
        call = c.u32()
        self._done(
            c.lib.tern_call_owner(self._handle, object, self._number_of(type(arguments)),
                                 ctypes.byref(arguments), ctypes.sizeof(arguments),
                                 ctypes.byref(call))
        )
        return call.value

    def request(self, to, arguments, timeout_ms):
        """A call that awaits a reply: an event "reply" or "call_failed" with this number."""
        call = c.u32()
        self._done(
            c.lib.tern_request(self._handle, to, self._number_of(type(arguments)),
                              ctypes.byref(arguments), ctypes.sizeof(arguments), timeout_ms,
                              ctypes.byref(call))
        )
        return call.value

    def request_owner(self, object, arguments, timeout_ms):
        call = c.u32()
        self._done(
            c.lib.tern_request_owner(self._handle, object, self._number_of(type(arguments)),
                                    ctypes.byref(arguments), ctypes.sizeof(arguments), timeout_ms,
                                    ctypes.byref(call))
        )
        return call.value

    def reply(self, event, arguments):
        """Answers a "call" event whose `call` is not 0."""
        self._done(
            c.lib.tern_reply(self._handle, event.caller, event.call,
                            self._number_of(type(arguments)), ctypes.byref(arguments),
                            ctypes.sizeof(arguments))
        )
