// How a field of a game struct becomes Lua values, and comes from them.
#include "lua_bindings/binding.h"

namespace tern::lua {

size_t element_bytes(FieldKind kind)
{
    switch (kind) {
    case FieldKind::int16:
    case FieldKind::uint16:
    case FieldKind::peer: return 2;
    case FieldKind::int32:
    case FieldKind::uint32:
    case FieldKind::float32: return 4;
    case FieldKind::int64:
    case FieldKind::uint64:
    case FieldKind::object: return 8;
    case FieldKind::quaternion: return 16;
    default: return 1;
    }
}

}
