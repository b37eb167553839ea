"""The structs and functions of tern/tern.h, by ctypes."""

import ctypes
import ctypes.util
import os
import sys

# --- The structs of tern/types.h and tern/tern.h, in their order ---

void_p = ctypes.c_void_p
u8, u16, u32, u64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
size, text, enum = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int

OK, MISUSE, CUT_OFF, NO_ROOM, GONE, NOT_ALLOWED = 0, -1, -2, -3, -4, -5
NO_PEER, HOST, EVERYONE, NO_OBJECT, NO_TYPE = 0, 0xFFFE, 0xFFFF, 0, 0xFFFF


class Address(ctypes.Structure):
    _fields_ = [("ip", u8 * 16), ("port", u16)]

    def __str__(self):
        text = ctypes.create_string_buffer(56)
        lib.tern_address_text(ctypes.byref(self), text)
        return text.value.decode()


class Invite(ctypes.Structure):
    _fields_ = [
        ("session", u64),
        ("key", u8 * 32),
        ("secret", u8 * 32),
        ("address_count", u8),
        ("addresses", Address * 4),
    ]


class Datagram(ctypes.Structure):
    _fields_ = [("address", Address), ("bytes", void_p), ("size_bytes", size)]


class Field(ctypes.Structure):
    _fields_ = [
        ("name", text),
        ("kind", enum),
        ("offset_bytes", u16),
        ("count", u16),
        ("min", ctypes.c_double),
        ("max", ctypes.c_double),
        ("step", ctypes.c_double),
        ("bound", ctypes.c_double),
    ]


class Type(ctypes.Structure):
    _fields_ = [
        ("name", text),
        ("size_bytes", u32),
        ("fields", ctypes.POINTER(Field)),
        ("field_count", size),
        ("objects_max", u32),
        ("orphan", enum),
        ("claim", enum),
        ("claim_cooldown_ms", u32),
        ("owned_max", u32),
        ("claims_per_second_max", u16),
        ("callers", enum),
        ("calls_per_second_max", u16),
        ("predicted", ctypes.c_bool),
    ]


class MisuseReport(ctypes.Structure):
    _fields_ = [
        ("function", text),
        ("wrong", text),
        ("remedy", text),
        ("object", u64),
        ("owner", u16),
    ]


MisuseHandler = ctypes.CFUNCTYPE(None, void_p, ctypes.POINTER(MisuseReport))
LogLine = ctypes.CFUNCTYPE(None, void_p, text)


class Config(ctypes.Structure):
    _fields_ = [
        ("struct_size", u32),
        ("type_bytes", u32),
        ("field_bytes", u32),
        ("types", ctypes.POINTER(Type)),
        ("type_count", size),
        ("peers_max", u16),
        ("admission", enum),
        ("misbehaviour", enum),
        ("quorum", enum),
        ("topology", enum),
        ("name", text),
        ("send_bytes_per_second_max", u32),
        ("bridge_bytes_per_second_max", u32),
        ("forward_bytes_per_second_max", u32),
        ("timeout_ms", u32),
        ("join_timeout_ms", u32),
        ("go_on_after_ms", u32),
        ("recording_bytes_max", u32),
        ("parallel_for_each", void_p),
        ("parallel_user", void_p),
        ("parallel_parts", u32),
        ("misuse_handle", MisuseHandler),
        ("misuse_user", void_p),
        ("allocate", void_p),
        ("release", void_p),
        ("allocator_user", void_p),
        ("log_line", LogLine),
        ("log_user", void_p),
        ("crash_handle", void_p),
        ("crash_user", void_p),
    ]


class Newcomer(ctypes.Structure):
    _fields_ = [
        ("peer", u16),
        ("previous", u16),
        ("payload_bytes", u16),
        ("name", text),
        ("payload", void_p),
    ]


class Progress(ctypes.Structure):
    _fields_ = [("objects_here", u32), ("objects_expected", u32)]


class Misbehaved(ctypes.Structure):
    _fields_ = [("peer", u16), ("reporter", u16), ("breach", enum)]


class HostChange(ctypes.Structure):
    _fields_ = [("peer", u16), ("previous", u16)]


class ObjectChange(ctypes.Structure):
    _fields_ = [("id", u64), ("changed_fields", u64), ("type", u16), ("owner", u16)]


class OwnerChange(ctypes.Structure):
    _fields_ = [
        ("object", u64),
        ("changed_fields", u64),
        ("lost_ticks", u32),
        ("type", u16),
        ("owner", u16),
        ("previous", u16),
    ]


class ClaimAnswer(ctypes.Structure):
    _fields_ = [("object", u64), ("type", u16), ("claimer", u16), ("refusal", enum)]


class CallMade(ctypes.Structure):
    _fields_ = [
        ("object", u64),
        ("arguments", void_p),
        ("id", u32),
        ("failure", enum),
        ("argument_bytes", u16),
        ("type", u16),
        ("peer", u16),
    ]


class Of(ctypes.Union):
    _fields_ = [
        ("room", u64 * 7),
        ("peer", u16),
        ("progress", Progress),
        ("newcomer", Newcomer),
        ("misbehaved", Misbehaved),
        ("host", HostChange),
        ("object", ObjectChange),
        ("owner", OwnerChange),
        ("claim", ClaimAnswer),
        ("call", CallMade),
    ]


class Event(ctypes.Structure):
    _fields_ = [("kind", enum), ("of", Of)]


# --- The library ---


def candidates():
    if os.environ.get("TERN_LIBRARY"):
        yield os.environ["TERN_LIBRARY"]
        return
    name = {"win32": "tern_c.dll", "darwin": "libtern_c.dylib"}.get(sys.platform, "libtern_c.so")
    yield os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    found = ctypes.util.find_library("tern_c")
    if found:
        yield found


def load():
    tried = []
    for path in candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
    raise ImportError(
        "the library tern_c was not found: build the target tern_c of tern, and name the file in "
        "TERN_LIBRARY (tried: %s)" % ("; ".join(tried) or "nothing")
    )


lib = load()


def declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


ref = ctypes.POINTER
declare("tern_version", text)
declare("tern_result_text", text, enum)
declare("tern_config_problem", enum, ref(Config), text)
declare("tern_make_session", enum, ref(Config), ref(void_p))
declare("tern_destroy_session", None, void_p)
declare("tern_start", enum, void_p)
declare("tern_join", enum, void_p, ref(Invite), void_p, size)
declare("tern_leave", enum, void_p)
declare("tern_go_on", enum, void_p)
declare("tern_session_state", enum, void_p)
declare("tern_state_text", text, void_p)
declare("tern_state_name", text, enum)
declare("tern_receive", enum, void_p, void_p, size, u64)
declare("tern_events", size, void_p, ref(void_p))
declare("tern_send", size, void_p, u64, ref(void_p))
declare("tern_make_invite", enum, void_p, ref(Address), size, ref(Invite))
declare("tern_invite_text", None, ref(Invite), text)
declare("tern_parse_invite", text, text, ref(Invite))
declare("tern_local_peer", u16, void_p)
declare("tern_host_peer", u16, void_p)
declare("tern_other_peers", size, void_p, ref(ref(u16)))
declare("tern_peer_name", text, void_p, u16)
declare("tern_admit", enum, void_p, u16)
declare("tern_refuse", enum, void_p, u16, text)
declare("tern_remove", enum, void_p, u16)
declare("tern_migrate", enum, void_p, u64, u16)
declare("tern_refuse_claim", enum, void_p, u64, u16)
declare("tern_create", enum, void_p, u16, void_p, size, ref(u64))
declare("tern_creations_left", u32, void_p, u16)
declare("tern_destroy", enum, void_p, u64)
declare("tern_exists", ctypes.c_bool, void_p, u64)
declare("tern_find_value", void_p, void_p, u64, ref(u16))
declare("tern_object_owner", u16, void_p, u64)
declare("tern_set", enum, void_p, u64, void_p, size)
declare("tern_may_set", ctypes.c_bool, void_p, u64)
declare("tern_object_ids", size, void_p, u16, ref(ref(u64)))
declare("tern_object_values", void_p, void_p, u16, size)
declare("tern_set_many", size, void_p, u16, void_p, size, void_p, size)
declare("tern_claim", enum, void_p, u64, enum)
declare("tern_is_claiming", ctypes.c_bool, void_p, u64)
declare("tern_release_ownership", enum, void_p, u64)
declare("tern_lock", enum, void_p, u64, ctypes.c_bool)
declare("tern_world_digest", u64, void_p)
declare("tern_claim_refusal_text", text, enum)
declare("tern_call", enum, void_p, u16, u16, void_p, size, enum)
declare("tern_call_owner", enum, void_p, u64, u16, void_p, size, ref(u32))
declare("tern_request", enum, void_p, u16, u16, void_p, size, u32, ref(u32))
declare("tern_request_owner", enum, void_p, u64, u16, void_p, size, u32, ref(u32))
declare("tern_reply", enum, void_p, u16, u32, u16, void_p, size)
declare("tern_event_kind_text", text, enum)
declare("tern_call_failure_text", text, enum)
declare("tern_make_udp_socket", enum, u16, ctypes.c_bool, ref(void_p))
declare("tern_destroy_socket", None, void_p)
declare("tern_socket_receive", size, void_p, ref(void_p))
declare("tern_socket_send", None, void_p, void_p, size)
declare("tern_socket_port", u16, void_p)
declare("tern_parse_address", enum, text, ref(Address))
declare("tern_address_text", None, ref(Address), text)
declare("tern_local_addresses", size, u16, ref(Address), size)
declare("tern_clock_us", u64)
