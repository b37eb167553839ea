// Reads and writes handshake datagrams, checks who may have written them, and makes the cookies
// that keep floods of them cheap. These functions keep no state between datagrams; endpoint.h does.
//
// The design follows WireGuard: mac1 proves that the writer knows the reader's public key, and mac2
// proves that the writer received a cookie at the address that it sends from. Formats:
// docs/wire_format.md, "Handshake".
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

// The structs are the bytes of the datagrams, in wire order. Numbers are little-endian.
struct Initiation {
    uint8_t type, version, reserved[2];
    uint8_t sender_id[4];
    uint8_t noise[noise::first_bytes + 8]; // First Noise message; its payload is an Offer.
    uint8_t mac1[16];
    uint8_t mac2[16]; // All zero without a cookie.
};

struct Response {
    uint8_t type, version, reserved[2];
    uint8_t sender_id[4], receiver_id[4];
    uint8_t noise[noise::second_bytes + 8]; // Second Noise message; its payload is a Choice.
    uint8_t mac1[16];
    uint8_t mac2[16]; // Always zero in version 1.
};

struct CookieReply {
    uint8_t type, version, reserved[2];
    uint8_t receiver_id[4];
    uint8_t nonce[24];
    uint8_t sealed_cookie[16 + tag_bytes];
};

// The version names the wire version of the responder. All versions must keep this layout, and the
// places of type, version and sender_id in Initiation.
struct VersionRefusal {
    uint8_t type, version, reserved[2];
    uint8_t receiver_id[4];
    uint8_t mac1[16];
};

static_assert(sizeof(Initiation) == 144);
static_assert(sizeof(Response) == 100 && sizeof(Response) <= sizeof(Initiation));
static_assert(sizeof(CookieReply) == 64 && sizeof(CookieReply) <= sizeof(Initiation));
static_assert(sizeof(VersionRefusal) == 24 && sizeof(VersionRefusal) <= sizeof(Initiation));

// Payloads of the Noise messages: what the two sides negotiate. A set of ciphers has the bits
// 1 << Cipher. The incarnation is that of the writer: see endpoint::set_incarnation().
struct Offer {
    uint16_t ciphers;
    uint16_t flags; // Version 1 has none. Readers ignore unknown flags, so later ones can be tried.
    uint32_t incarnation = 0;
};

struct Choice {
    uint16_t cipher; // One bit of those offered.
    uint16_t flags;  // See Offer.
    uint32_t incarnation = 0;
};

// Keys derived from a public key: that of the reader of an initiation or a response, or that of the
// writer of a cookie reply or a version refusal.
struct MacKeys {
    uint8_t mac1[32];
    uint8_t cookie[32];
};

struct Cookie {
    uint8_t bytes[16];
};

enum class Reading : uint8_t {
    ok,
    malformed,     // Wrong size, type or reserved bytes, or too short for a version.
    other_version, // The datagram has another wire version; nothing else has been checked.
    forged         // mac1 is wrong.
};

template <class Message> struct Read {
    Reading reading;
    Message message; // The received bytes, if ok.
};

namespace handshake {

// A set with one cipher.
constexpr uint16_t bit(Cipher cipher)
{
    return static_cast<uint16_t>(1u << static_cast<unsigned>(cipher));
}
inline constexpr uint16_t ciphers_everywhere = bit(Cipher::chacha20_poly1305);
inline constexpr uint16_t ciphers_known = ciphers_everywhere | bit(Cipher::aes256_gcm);
uint16_t ciphers_here(); // Ciphers that this machine supports.
inline constexpr size_t prologue_bytes = 6 + 8;

struct Prologue {
    uint8_t bytes[prologue_bytes];
};
Prologue prologue(uint64_t session);
MacKeys mac_keys(const uint8_t (&public_key)[32]);
uint32_t id(const uint8_t (&bytes)[4]);

// --- Initiation. `keys` are those of the responder. ---
struct WrittenInitiation {
    bool ok; // False: the responder's key is of low order, so it is no proper key.
    Initiation message;
};
// Leaves mac2 zero; write_mac2() fills it in once there is a cookie.
WrittenInitiation write_initiation(NoiseHandshake &h, uint32_t sender_id, const Offer &offer,
                                   const MacKeys &keys);
Read<Initiation> read_initiation(std::span<const std::byte> datagram, const MacKeys &keys);
// Result of open_initiation().
struct OpenedOffer {
    bool ok; // False: forged, or meant for another key or session.
    Offer offer;
};
// Decrypts the offer. Costs two to three times as much as all checks before it.
OpenedOffer open_initiation(NoiseHandshake &h, const Initiation &message);
struct ChosenCipher {
    bool ok; // False: none in common.
    Cipher cipher;
};
// Chooses the fastest cipher that is in the offer and in the set `own`.
ChosenCipher choose_cipher(const Offer &offer, uint16_t own);

// --- Response. `keys` are those of the initiator. ---
struct WrittenResponse {
    bool ok; // False: the initiator's ephemeral or static key is of low order.
    Response message;
};
struct ResponseIds {
    uint32_t sender, receiver;
};
WrittenResponse write_response(NoiseHandshake &h, const uint8_t (&secret)[32], ResponseIds ids,
                               const Choice &choice, const MacKeys &keys);
Read<Response> read_response(std::span<const std::byte> datagram, const MacKeys &keys);
struct OpenedChoice {
    bool ok; // False: forged, written with another session secret, or a cipher not offered.
    Cipher cipher;
    uint32_t incarnation; // The responder's.
};
OpenedChoice open_response(NoiseHandshake &h, const uint8_t (&secret)[32], const Response &message,
                           const Offer &offer);

// --- Cookies. `keys` are those of the responder. ---
// A MAC of the address, so the responder needs no memory of the cookies that it has sent.
Cookie make_cookie(const uint8_t (&cookie_secret)[32], const Address &address);
// Encrypts the cookie with a random nonce. The mac1 of the initiation is its associated data, so a
// peer that has not sent or seen the initiation cannot decrypt or forge the reply.
CookieReply write_cookie_reply(EntropySource &entropy, const uint8_t (&receiver_id)[4],
                               const Cookie &cookie, const uint8_t (&mac1)[16],
                               const MacKeys &keys);
Read<CookieReply> read_cookie_reply(std::span<const std::byte> datagram);
struct OpenedCookie {
    bool ok; // False: forged, or not an answer to the initiation with this mac1.
    Cookie cookie;
};
OpenedCookie open_cookie_reply(const CookieReply &message, const uint8_t (&mac1)[16],
                               const MacKeys &keys);
void write_mac2(Initiation &message, const Cookie &cookie);
bool has_mac2(const Initiation &message);
bool is_mac2(const Initiation &message, const Cookie &cookie);

// --- Version refusal. `keys` are those of the responder, which writes it. ---
VersionRefusal write_version_refusal(const uint8_t (&receiver_id)[4], const MacKeys &keys);
Read<VersionRefusal> read_version_refusal(std::span<const std::byte> datagram, const MacKeys &keys);
// Reads the first connection id of a datagram of any version and of any type except data. Not ok if
// the datagram is smaller than a version refusal: the answer must not be larger than the question.
struct PeekedId {
    bool ok;
    uint8_t bytes[4];
};
PeekedId peek_id(std::span<const std::byte> datagram);

}
}
