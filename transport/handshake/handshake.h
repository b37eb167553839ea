// The datagrams before there is a connection: their bytes, who may have written them, and the
// cookies that keep floods of them cheap. Nothing is remembered here; endpoint.h does that.
//
// In the manner of WireGuard's: mac1 shows that the writer knows the reader's public key, mac2
// that it received a cookie at the address it writes from. Formats: docs/wire_format.md,
// "Handshake".
#pragma once
#include "transport/handshake/noise.h"

namespace tern {

enum class DatagramType : uint8_t {
    none,
    initiation,
    response,
    cookie_reply,
    data, // connection.h
    version_refusal
};

// The bytes of the datagrams, in their order. Numbers are little-endian.
struct Initiation {
    uint8_t type, version, reserved[2];
    uint8_t sender_id[4];
    uint8_t noise[noise::first_bytes + 8]; // First message, its payload an Offer.
    uint8_t mac1[16];
    uint8_t mac2[16]; // Zero without a cookie.
};

struct Response {
    uint8_t type, version, reserved[2];
    uint8_t sender_id[4], receiver_id[4];
    uint8_t noise[noise::second_bytes + 8]; // Second message, its payload a Choice.
    uint8_t mac1[16];
    uint8_t mac2[16]; // Always zero in version 1.
};

struct CookieReply {
    uint8_t type, version, reserved[2];
    uint8_t receiver_id[4];
    uint8_t nonce[24];
    uint8_t sealed_cookie[16 + tag_bytes];
};

// Of all versions alike: the type and the version, and in an initiation the sender's id.
struct VersionRefusal {
    uint8_t type, version, reserved[2];
    uint8_t receiver_id[4];
    uint8_t mac1[16];
};

static_assert(sizeof(Initiation) == 144);
static_assert(sizeof(Response) == 100 && sizeof(Response) <= sizeof(Initiation));
static_assert(sizeof(CookieReply) == 64 && sizeof(CookieReply) <= sizeof(Initiation));
static_assert(sizeof(VersionRefusal) == 24 && sizeof(VersionRefusal) <= sizeof(Initiation));

// What the two sides settle. Ciphers are sets of bits: 1 << Cipher.
struct Offer {
    uint16_t ciphers;
    uint16_t flags; // None in version 1; ignored by the reader, so that later ones can be tried.
};

struct Choice {
    uint16_t cipher; // One bit, of those offered.
    uint16_t flags;  // As in Offer.
};

// Derived from the public key of who reads an initiation or a response, and of who writes a
// cookie reply or a version refusal.
struct MacKeys {
    uint8_t mac1[32];
    uint8_t cookie[32];
};

struct Cookie {
    uint8_t bytes[16];
};

enum class Reading : uint8_t {
    ok,
    malformed,     // Another size, type or reserved bytes; no version at all.
    other_version, // Nothing else has been checked.
    forged         // mac1 is wrong.
};

template <class Message> struct Read {
    Reading reading;
    Message message; // As it came, if ok.
};

namespace handshake {

// Sets of ciphers.
constexpr uint16_t bit(Cipher cipher)
{
    return static_cast<uint16_t>(1u << static_cast<unsigned>(cipher));
}
inline constexpr uint16_t ciphers_everywhere = bit(Cipher::chacha20_poly1305);
inline constexpr uint16_t ciphers_known = ciphers_everywhere | bit(Cipher::aes256_gcm);
uint16_t ciphers_here(); // What this machine can do.
inline constexpr size_t prologue_bytes = 6 + 8;

struct Prologue {
    uint8_t bytes[prologue_bytes];
};
Prologue prologue(uint64_t session);
MacKeys mac_keys(const uint8_t (&public_key)[32]);
uint32_t id(const uint8_t (&bytes)[4]);

// --- Initiation. keys: of the responder. ---
struct WrittenInitiation {
    bool ok; // False: the responder's key is not a proper one.
    Initiation message;
};
// With mac2 zero.
WrittenInitiation write_initiation(NoiseHandshake &h, uint32_t sender_id, const Offer &offer,
                                   const MacKeys &keys);
Read<Initiation> read_initiation(std::span<const std::byte> datagram, const MacKeys &keys);
// Opens what is sealed in it; two to three times as dear as all that comes before.
struct OpenedOffer {
    bool ok; // False: forged, or meant for another key or session.
    Offer offer;
};
OpenedOffer open_initiation(NoiseHandshake &h, const Initiation &message);
struct ChosenCipher {
    bool ok; // False: none in common.
    Cipher cipher;
};
ChosenCipher choose_cipher(const Offer &offer, uint16_t own); // The fastest of those in both.

// --- Response. keys: of the initiator. ---
struct WrittenResponse {
    bool ok; // False: the initiator's ephemeral or static key is not a proper one.
    Response message;
};
WrittenResponse write_response(NoiseHandshake &h, const uint8_t (&secret)[32], uint32_t sender_id,
                               uint32_t receiver_id, const Choice &choice, const MacKeys &keys);
Read<Response> read_response(std::span<const std::byte> datagram, const MacKeys &keys);
struct OpenedChoice {
    bool ok; // False: forged, written with another secret, or not among what was offered.
    Cipher cipher;
};
OpenedChoice open_response(NoiseHandshake &h, const uint8_t (&secret)[32], const Response &message,
                           const Offer &offer);

// --- Cookies. keys: of the responder. ---
Cookie make_cookie(const uint8_t (&cookie_secret)[32], const Address &address);
// Draws a nonce.
CookieReply write_cookie_reply(Chance &chance, const uint8_t (&receiver_id)[4],
                               const Cookie &cookie, const uint8_t (&mac1)[16],
                               const MacKeys &keys);
Read<CookieReply> read_cookie_reply(std::span<const std::byte> datagram);
struct OpenedCookie {
    bool ok; // False: forged, or no answer to the initiation with this mac1.
    Cookie cookie;
};
OpenedCookie open_cookie_reply(const CookieReply &message, const uint8_t (&mac1)[16],
                               const MacKeys &keys);
void write_mac2(Initiation &message, const Cookie &cookie);
bool has_mac2(const Initiation &message);
bool is_mac2(const Initiation &message, const Cookie &cookie);

// --- Version refusal. keys: of the responder, who writes it. ---
VersionRefusal write_version_refusal(const uint8_t (&receiver_id)[4], const MacKeys &keys);
Read<VersionRefusal> read_version_refusal(std::span<const std::byte> datagram, const MacKeys &keys);
// The first id in a datagram of any version and of any type but data. ok is false if a version
// refusal would be larger than the datagram.
struct PeekedId {
    bool ok;
    uint8_t bytes[4];
};
PeekedId peek_id(std::span<const std::byte> datagram);

}
}
