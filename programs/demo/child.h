// The lines of JSON that a parent and the process of a peer exchange.
#pragma once
#include "peer.h"
#include <nlohmann/json.hpp>

namespace demo {

// Names of members of what a parent sends.
namespace order {
inline constexpr const char *name = "order"; // One of the next four.
inline constexpr const char *join = "join";
inline constexpr const char *play = "play";
inline constexpr const char *rest = "rest";     // Play no more.
inline constexpr const char *report = "report"; // Describe the world.
inline constexpr const char *invite = "invite"; // "join" has one.
inline constexpr const char *cut = "cut";       // "join" has ports without a path.
}

// Names of members of what a child sends.
namespace answer {
inline constexpr const char *port = "port";         // The socket is open.
inline constexpr const char *invite = "invite";     // The host sends it with its port.
inline constexpr const char *progress = "progress"; // A Progress, ten times a second.
inline constexpr const char *cubes = "cubes";       // The report: an id and a text for each.
inline constexpr const char *failed = "failed";     // The reason, in the last line.
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Progress, state, self, host, members, bridged, rtt_us, dropped,
                                   sent_bytes, objects, owned, migrations, digest, cheered,
                                   cheers_received);

}
