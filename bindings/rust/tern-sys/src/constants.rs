//! The enumerations and numbers of the C headers. An enumeration is an `i32`: a newer library may
//! give values that this crate does not know.

use crate::types::*;

pub const TERN_NO_PEER: tern_peer = 0;
pub const TERN_HOST: tern_peer = 0xfffe;
pub const TERN_EVERYONE: tern_peer = 0xffff;
pub const TERN_NO_OBJECT: tern_object = 0;
pub const TERN_NO_CALL: tern_call_id = 0;
pub const TERN_NO_TYPE: tern_type_id = 0xffff;
pub const TERN_NO_FIELD: u16 = 0xffff;
pub const TERN_INVITE_TEXT_MAX: usize = 256;
pub const TERN_ADDRESS_TEXT_MAX: usize = 56;
pub const TERN_OBJECT_TEXT_MAX: usize = 24;
pub const TERN_INVITE_ADDRESSES_MAX: usize = 4;
pub const TERN_PROBLEM_TEXT_MAX: usize = 256;
pub const TERN_BREACHES: usize = 5;

pub type tern_result = i32;
pub const TERN_OK: tern_result = 0;
pub const TERN_MISUSE: tern_result = -1;
pub const TERN_CUT_OFF: tern_result = -2;
pub const TERN_NO_ROOM: tern_result = -3;
pub const TERN_GONE: tern_result = -4;
pub const TERN_NOT_ALLOWED: tern_result = -5;
pub const TERN_BAD_CONFIG: tern_result = -6;
pub const TERN_BAD_TEXT: tern_result = -7;
pub const TERN_NO_MEMORY: tern_result = -8;
pub const TERN_PORT_IN_USE: tern_result = -9;
pub const TERN_NOT_PERMITTED: tern_result = -10;
pub const TERN_NO_SUCH_FAMILY: tern_result = -11;
pub const TERN_SYSTEM: tern_result = -12;

pub type tern_field_kind = i32;
pub const TERN_BOOLEAN: tern_field_kind = 0;
pub const TERN_INT8: tern_field_kind = 1;
pub const TERN_INT16: tern_field_kind = 2;
pub const TERN_INT32: tern_field_kind = 3;
pub const TERN_INT64: tern_field_kind = 4;
pub const TERN_UINT8: tern_field_kind = 5;
pub const TERN_UINT16: tern_field_kind = 6;
pub const TERN_UINT32: tern_field_kind = 7;
pub const TERN_UINT64: tern_field_kind = 8;
pub const TERN_FLOAT32: tern_field_kind = 9;
pub const TERN_QUATERNION: tern_field_kind = 10;
pub const TERN_PEER: tern_field_kind = 11;
pub const TERN_OBJECT: tern_field_kind = 12;
pub const TERN_TEXT: tern_field_kind = 13;
pub const TERN_BYTES: tern_field_kind = 14;
pub const TERN_VALUES: tern_field_kind = 15;

pub type tern_orphan = i32;
pub const TERN_ORPHAN_TO_HOST: tern_orphan = 0;
pub const TERN_ORPHAN_DESTROY: tern_orphan = 1;
pub const TERN_ORPHAN_SPREAD: tern_orphan = 2;
pub const TERN_ORPHAN_ASK_GAME: tern_orphan = 3;
pub const TERN_ORPHAN_HOLD: tern_orphan = 4;

pub type tern_claim_policy = i32;
pub const TERN_CLAIM_POLICY_ALWAYS: tern_claim_policy = 0;
pub const TERN_CLAIM_POLICY_ASK_GAME: tern_claim_policy = 1;
pub const TERN_CLAIM_POLICY_NEVER: tern_claim_policy = 2;

pub type tern_callers = i32;
pub const TERN_CALLERS_ANYBODY: tern_callers = 0;
pub const TERN_CALLERS_HOST: tern_callers = 1;
pub const TERN_CALLERS_OWNER: tern_callers = 2;

pub type tern_topology = i32;
pub const TERN_MESH: tern_topology = 0;
pub const TERN_STAR: tern_topology = 1;

pub type tern_quorum = i32;
pub const TERN_QUORUM_MAJORITY: tern_quorum = 0;
pub const TERN_QUORUM_SURVIVORS: tern_quorum = 1;

pub type tern_admission = i32;
pub const TERN_ADMIT_ALWAYS: tern_admission = 0;
pub const TERN_ADMIT_ASK_GAME: tern_admission = 1;

pub type tern_misbehaviour = i32;
pub const TERN_MISBEHAVIOUR_REMOVE: tern_misbehaviour = 0;
pub const TERN_MISBEHAVIOUR_ASK_GAME: tern_misbehaviour = 1;

pub type tern_state = i32;
pub const TERN_STATE_IDLE: tern_state = 0;
pub const TERN_STATE_JOINING: tern_state = 1;
pub const TERN_STATE_OPEN: tern_state = 2;
pub const TERN_STATE_CUT_OFF: tern_state = 3;
pub const TERN_STATE_LEAVING: tern_state = 4;
pub const TERN_STATE_LEFT: tern_state = 5;
pub const TERN_STATE_UNREACHABLE: tern_state = 6;
pub const TERN_STATE_REFUSED_FULL: tern_state = 7;
pub const TERN_STATE_REFUSED_TYPES: tern_state = 8;
pub const TERN_STATE_REFUSED_VERSION: tern_state = 9;
pub const TERN_STATE_REFUSED_SECRET: tern_state = 10;
pub const TERN_STATE_REFUSED_BY_GAME: tern_state = 11;
pub const TERN_STATE_REMOVED: tern_state = 12;
pub const TERN_STATE_OVERFLOW: tern_state = 13;

pub type tern_breach = i32;
pub const TERN_BREACH_NONE: tern_breach = 0;
pub const TERN_BREACH_MALFORMED: tern_breach = 1;
pub const TERN_BREACH_FORGED: tern_breach = 2;
pub const TERN_BREACH_OVER_QUOTA: tern_breach = 3;
pub const TERN_BREACH_EQUIVOCATED: tern_breach = 4;

pub type tern_claim_mode = i32;
pub const TERN_CLAIM_WAIT: tern_claim_mode = 0;
pub const TERN_CLAIM_OPTIMISTIC: tern_claim_mode = 1;

pub type tern_claim_refusal = i32;
pub const TERN_REFUSAL_NONE: tern_claim_refusal = 0;
pub const TERN_REFUSAL_DEAD: tern_claim_refusal = 1;
pub const TERN_REFUSAL_UNKNOWN: tern_claim_refusal = 2;
pub const TERN_REFUSAL_POLICY: tern_claim_refusal = 3;
pub const TERN_REFUSAL_BY_GAME: tern_claim_refusal = 4;
pub const TERN_REFUSAL_OVERTAKEN: tern_claim_refusal = 5;
pub const TERN_REFUSAL_LOCKED: tern_claim_refusal = 6;
pub const TERN_REFUSAL_COOLDOWN: tern_claim_refusal = 7;
pub const TERN_REFUSAL_QUOTA: tern_claim_refusal = 8;

pub type tern_why = i32;
pub const TERN_WHY_HAS_IT: tern_why = 0;
pub const TERN_WHY_UNKNOWN: tern_why = 1;
pub const TERN_WHY_NO_SUCH_PEER: tern_why = 2;
pub const TERN_WHY_NO_CONNECTION: tern_why = 3;
pub const TERN_WHY_DEAD: tern_why = 4;
pub const TERN_WHY_DEATH_UNACKED: tern_why = 5;
pub const TERN_WHY_NOT_OWNED_HERE: tern_why = 6;
pub const TERN_WHY_SENT_BY_HOST: tern_why = 7;
pub const TERN_WHY_PEER_JOINING: tern_why = 8;
pub const TERN_WHY_OBJECT_WAITS: tern_why = 9;
pub const TERN_WHY_OBJECT_UNACKED: tern_why = 10;
pub const TERN_WHY_CHANGE_WAITS: tern_why = 11;
pub const TERN_WHY_NO_BUDGET: tern_why = 12;
pub const TERN_WHY_HIDDEN: tern_why = 13;
pub const TERN_WHY_CHANGE_UNACKED: tern_why = 14;
pub const TERN_WHY_CLAIM_UNANSWERED: tern_why = 15;
pub const TERN_WHY_CLAIM_REFUSED: tern_why = 16;
pub const TERN_WHY_NOTHING_SENT: tern_why = 17;

pub type tern_reliability = i32;
pub const TERN_RELIABLE: tern_reliability = 0;
pub const TERN_UNRELIABLE: tern_reliability = 1;

pub type tern_event_kind = i32;
pub const TERN_EVENT_JOIN_PROGRESS: tern_event_kind = 0;
pub const TERN_EVENT_CAUGHT_UP: tern_event_kind = 1;
pub const TERN_EVENT_JOIN_ASKED: tern_event_kind = 2;
pub const TERN_EVENT_PEER_JOINED: tern_event_kind = 3;
pub const TERN_EVENT_PEER_LEFT: tern_event_kind = 4;
pub const TERN_EVENT_MISBEHAVED: tern_event_kind = 5;
pub const TERN_EVENT_HOST_LOST: tern_event_kind = 6;
pub const TERN_EVENT_HOST_CHANGED: tern_event_kind = 7;
pub const TERN_EVENT_OBJECT_CREATED: tern_event_kind = 8;
pub const TERN_EVENT_OBJECT_CHANGED: tern_event_kind = 9;
pub const TERN_EVENT_OBJECT_DESTROYED: tern_event_kind = 10;
pub const TERN_EVENT_OBJECT_HIDDEN: tern_event_kind = 11;
pub const TERN_EVENT_OBJECT_SHOWN: tern_event_kind = 12;
pub const TERN_EVENT_OWNER_CHANGED: tern_event_kind = 13;
pub const TERN_EVENT_OBJECT_ORPHANED: tern_event_kind = 14;
pub const TERN_EVENT_CLAIM_ASKED: tern_event_kind = 15;
pub const TERN_EVENT_CLAIM_GRANTED: tern_event_kind = 16;
pub const TERN_EVENT_CLAIM_REFUSED: tern_event_kind = 17;
pub const TERN_EVENT_CALL: tern_event_kind = 18;
pub const TERN_EVENT_REPLY: tern_event_kind = 19;
pub const TERN_EVENT_CALL_FAILED: tern_event_kind = 20;

pub type tern_call_failure = i32;
pub const TERN_FAILURE_NONE: tern_call_failure = 0;
pub const TERN_FAILURE_DEAD: tern_call_failure = 1;
pub const TERN_FAILURE_UNKNOWN: tern_call_failure = 2;
pub const TERN_FAILURE_NOT_ALLOWED: tern_call_failure = 3;
pub const TERN_FAILURE_LOST: tern_call_failure = 4;
pub const TERN_FAILURE_NO_REPLY: tern_call_failure = 5;

pub const TERN_TRAFFIC_KINDS: usize = 25;

pub type tern_traffic_kind = i32;
pub const TERN_TRAFFIC_CREATE: tern_traffic_kind = 0;
pub const TERN_TRAFFIC_MIGRATE: tern_traffic_kind = 1;
pub const TERN_TRAFFIC_RELAY: tern_traffic_kind = 2;
pub const TERN_TRAFFIC_GRANT: tern_traffic_kind = 3;
pub const TERN_TRAFFIC_REPORT: tern_traffic_kind = 4;
pub const TERN_TRAFFIC_UPDATE: tern_traffic_kind = 5;
pub const TERN_TRAFFIC_SNAPSHOT: tern_traffic_kind = 6;
pub const TERN_TRAFFIC_CALL: tern_traffic_kind = 7;
pub const TERN_TRAFFIC_DESTROY: tern_traffic_kind = 8;
pub const TERN_TRAFFIC_DEAD: tern_traffic_kind = 9;
pub const TERN_TRAFFIC_CLAIM: tern_traffic_kind = 10;
pub const TERN_TRAFFIC_MEMBERSHIP: tern_traffic_kind = 11;
pub const TERN_TRAFFIC_JOIN: tern_traffic_kind = 12;
pub const TERN_TRAFFIC_NOTICE: tern_traffic_kind = 13;
pub const TERN_TRAFFIC_HANDSHAKE: tern_traffic_kind = 14;
pub const TERN_TRAFFIC_HEADER: tern_traffic_kind = 15;
pub const TERN_TRAFFIC_TAG: tern_traffic_kind = 16;
pub const TERN_TRAFFIC_ACK: tern_traffic_kind = 17;
pub const TERN_TRAFFIC_FRAME: tern_traffic_kind = 18;
pub const TERN_TRAFFIC_PADDING: tern_traffic_kind = 19;
pub const TERN_TRAFFIC_PING: tern_traffic_kind = 20;
pub const TERN_TRAFFIC_PATH: tern_traffic_kind = 21;
pub const TERN_TRAFFIC_FORWARDED: tern_traffic_kind = 22;
pub const TERN_TRAFFIC_REPEATED: tern_traffic_kind = 23;
pub const TERN_TRAFFIC_UNSENT: tern_traffic_kind = 24;

pub const TERN_VALUES_DEPTH_MAX: usize = 16;
pub const TERN_VALUES_COUNT_MAX: usize = 512;
pub const TERN_VALUES_INTEGER_MAX: i64 = 9_007_199_254_740_992;

pub type tern_value_kind = i32;
pub const TERN_VALUE_NIL: tern_value_kind = 0;
pub const TERN_VALUE_BOOLEAN: tern_value_kind = 1;
pub const TERN_VALUE_NUMBER: tern_value_kind = 2;
pub const TERN_VALUE_STRING: tern_value_kind = 3;
pub const TERN_VALUE_TABLE: tern_value_kind = 4;
pub const TERN_VALUE_END: tern_value_kind = 5;

pub type tern_value_error = i32;
pub const TERN_VALUE_OK: tern_value_error = 0;
pub const TERN_VALUE_TOO_LONG: tern_value_error = 1;
pub const TERN_VALUE_TOO_MANY: tern_value_error = 2;
pub const TERN_VALUE_TOO_DEEP: tern_value_error = 3;
pub const TERN_VALUE_INTEGER: tern_value_error = 4;
pub const TERN_VALUE_NIL_IN_TABLE: tern_value_error = 5;
pub const TERN_VALUE_KEY: tern_value_error = 6;
pub const TERN_VALUE_TWICE: tern_value_error = 7;
pub const TERN_VALUE_SHAPE: tern_value_error = 8;

pub const TERN_DISCOVERY_PORT: u16 = 28376;
pub const TERN_DISCOVERY_TEXT_MAX: usize = 32;
pub const TERN_FOUND_MAX: usize = 64;
pub const TERN_QUERY_INTERVAL_MS: u32 = 1000;
pub const TERN_FOUND_AGE_MS_MAX: u32 = 4000;

pub type tern_fit = i32;
pub const TERN_FITS: tern_fit = 0;
pub const TERN_FIT_FULL: tern_fit = 1;
pub const TERN_FIT_OTHER_LIMITS: tern_fit = 2;
pub const TERN_FIT_OTHER_TYPES: tern_fit = 3;
pub const TERN_FIT_OTHER_VERSION: tern_fit = 4;
