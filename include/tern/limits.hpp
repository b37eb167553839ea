// Limits of sessions, types and datagrams; docs/use/how_many.md.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern {

// UDP payload that every network path and every Socket must carry (as in QUIC, RFC 9000, 14).
inline constexpr size_t datagram_bytes_base = 1200;
// The largest UDP payload that path MTU discovery tries and that tern sends.
inline constexpr size_t datagram_bytes_max = 1452;
inline constexpr uint16_t no_field = 0xffff;     // No index of a field.
inline constexpr size_t name_bytes_max = 32;     // Includes the final zero.
inline constexpr size_t payload_bytes_max = 256; // Payload of join().
inline constexpr size_t reason_bytes_max = 128;  // Text of refuse(); includes the final zero.
inline constexpr size_t invite_text_max = 256;   // A printed invite; includes the final zero.
inline constexpr size_t object_text_max = 24;    // A printed object; includes the final zero.
inline constexpr size_t struct_bytes_max = 4096; // sizeof a game struct.
inline constexpr size_t fields_max = 64;         // Fields of a type.
inline constexpr size_t types_max = 256;         // Types of a session.
inline constexpr size_t value_bytes_max = 900;   // An encoded value; it must fit one datagram.
// How long call_owner() waits until this peer knows the object; then it fails as unknown.
inline constexpr uint32_t call_unknown_ms = 2000;
// Most peers of a session. In a mesh every peer sends to every other: 64 peers make 2016
// connections, and each peer sends 63 times what it would send to one. In a star only the host
// sends to all.
inline constexpr uint16_t mesh_peers_max = 64;
inline constexpr uint16_t star_peers_max = 512;
inline constexpr uint32_t send_parts_max = 16; // Parallel::parts.

}
