#include "transport/handshake/handshake.h"
#include "transport/connection/packet_codec.h"
#include <cstring>
#include <sodium.h>
#include <type_traits>

namespace tern::handshake {

namespace {

constexpr size_t payload_bytes = 8; // Noise payload: ciphers 2, flags 2, incarnation 4.
constexpr size_t id_at = 4;         // Offset of the first id; the same in all versions.

void store_id(uint8_t (&to)[4], uint32_t value)
{
    for (unsigned i = 0; i < 4; i += 1)
        to[i] = static_cast<uint8_t>(value >> 8 * i);
}

template <class Message> Message blank(DatagramType type)
{
    static_assert(std::is_trivially_copyable_v<Message> && alignof(Message) == 1);
    Message message = {};
    message.type = static_cast<uint8_t>(type);
    message.version = wire_version;
    return message;
}

// Hashes the label and the public key, so that each purpose has a key of its own.
void derive_key(uint8_t (&key)[32], const char *label, const uint8_t (&public_key)[32])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, sizeof key);
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char *>(label),
                              std::strlen(label));
    crypto_generichash_update(&state, public_key, sizeof public_key);
    crypto_generichash_final(&state, key, sizeof key);
}

struct Mac {
    uint8_t bytes[16];
};

// MAC of all bytes before `field` in the message.
template <class Message, size_t KeyBytes>
Mac mac_before(const Message &message, const uint8_t (&field)[16], const uint8_t (&key)[KeyBytes])
{
    const auto *start = reinterpret_cast<const uint8_t *>(&message);
    Mac mac;
    crypto_generichash(mac.bytes, sizeof mac.bytes, start, static_cast<size_t>(field - start), key,
                       KeyBytes);
    return mac;
}

template <class Message> void write_mac1(Message &message, const MacKeys &keys)
{
    const Mac mac = mac_before(message, message.mac1, keys.mac1);
    std::memcpy(message.mac1, mac.bytes, sizeof mac.bytes);
}

template <class Message> bool is_mac1(const Message &message, const MacKeys &keys)
{
    const Mac mac = mac_before(message, message.mac1, keys.mac1);
    return sodium_memcmp(mac.bytes, message.mac1, sizeof mac.bytes) == 0;
}

// Checks everything that needs no key. A version refusal must have another version than ours, every
// other datagram must have ours.
template <class Message>
Read<Message> read_plain(std::span<const std::byte> datagram, DatagramType type)
{
    Read<Message> read = {};
    read.reading = Reading::malformed;
    if (datagram.size() < 2 || datagram[0] != static_cast<std::byte>(type)) return read;
    const bool is_ours = datagram[1] == static_cast<std::byte>(wire_version);
    const bool is_refusal = type == DatagramType::version_refusal;
    if (!is_ours && !is_refusal) read.reading = Reading::other_version;
    if (is_ours == is_refusal) return read;
    if (datagram.size() != sizeof(Message)) return read;
    std::memcpy(&read.message, datagram.data(), sizeof(Message));
    if (read.message.reserved[0] != 0 || read.message.reserved[1] != 0) return read;
    read.reading = Reading::ok;
    return read;
}

template <class Message>
Read<Message> read_with_mac1(std::span<const std::byte> datagram, DatagramType type,
                             const MacKeys &keys)
{
    Read<Message> read = read_plain<Message>(datagram, type);
    if (read.reading == Reading::ok && !is_mac1(read.message, keys)) read.reading = Reading::forged;
    return read;
}

struct Payload {
    uint8_t bytes[payload_bytes];
};

Payload write_payload(uint16_t ciphers, uint16_t flags, uint32_t incarnation)
{
    Payload payload = {};
    payload.bytes[0] = static_cast<uint8_t>(ciphers);
    payload.bytes[1] = static_cast<uint8_t>(ciphers >> 8);
    payload.bytes[2] = static_cast<uint8_t>(flags);
    payload.bytes[3] = static_cast<uint8_t>(flags >> 8);
    for (unsigned i = 0; i < 4; i += 1)
        payload.bytes[4 + i] = static_cast<uint8_t>(incarnation >> 8 * i);
    return payload;
}

uint16_t ciphers_of(const Payload &payload)
{
    return static_cast<uint16_t>(payload.bytes[0] | payload.bytes[1] << 8);
}

uint16_t flags_of(const Payload &payload)
{
    return static_cast<uint16_t>(payload.bytes[2] | payload.bytes[3] << 8);
}

uint32_t incarnation_of(const Payload &payload)
{
    uint32_t incarnation = 0;
    for (unsigned i = 0; i < 4; i += 1)
        incarnation |= uint32_t{payload.bytes[4 + i]} << 8 * i;
    return incarnation;
}

}

Prologue prologue(uint64_t session)
{
    Prologue prologue;
    std::memcpy(prologue.bytes, "tern/1", 6);
    for (unsigned i = 0; i < 8; i += 1)
        prologue.bytes[6 + i] = static_cast<uint8_t>(session >> 8 * i);
    return prologue;
}

MacKeys mac_keys(const uint8_t (&public_key)[32])
{
    MacKeys keys;
    derive_key(keys.mac1, "tern mac1", public_key);
    derive_key(keys.cookie, "tern cookie", public_key);
    return keys;
}

uint32_t id(const uint8_t (&bytes)[4])
{
    return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 | static_cast<uint32_t>(bytes[2]) << 16 |
           static_cast<uint32_t>(bytes[3]) << 24;
}

// --- Initiation ---

WrittenInitiation write_initiation(NoiseHandshake &h, uint32_t sender_id, const Offer &offer,
                                   const MacKeys &keys)
{
    WrittenInitiation written = {false, blank<Initiation>(DatagramType::initiation)};
    store_id(written.message.sender_id, sender_id);
    const Payload payload = write_payload(offer.ciphers, offer.flags, offer.incarnation);
    if (!noise::write_first(h, payload.bytes, written.message.noise)) return written;
    write_mac1(written.message, keys);
    written.ok = true;
    return written;
}

Read<Initiation> read_initiation(std::span<const std::byte> datagram, const MacKeys &keys)
{
    return read_with_mac1<Initiation>(datagram, DatagramType::initiation, keys);
}

OpenedOffer open_initiation(NoiseHandshake &h, const Initiation &message)
{
    Payload payload;
    if (!noise::read_first(h, message.noise, payload.bytes)) return {};
    return {true, {ciphers_of(payload), flags_of(payload), incarnation_of(payload)}};
}

uint16_t ciphers_here()
{
    return aead::has_aes256_gcm() ? ciphers_known : ciphers_everywhere;
}

ChosenCipher choose_cipher(const Offer &offer, uint16_t own)
{
    const uint16_t common = offer.ciphers & own;
    for (const Cipher cipher : {Cipher::aes256_gcm, Cipher::chacha20_poly1305})
        if (common & bit(cipher)) return {true, cipher};
    return {};
}

// --- Response ---

WrittenResponse write_response(NoiseHandshake &h, const uint8_t (&secret)[32], ResponseIds ids,
                               const Choice &choice, const MacKeys &keys)
{
    WrittenResponse written = {false, blank<Response>(DatagramType::response)};
    store_id(written.message.sender_id, ids.sender);
    store_id(written.message.receiver_id, ids.receiver);
    const Payload payload = write_payload(choice.cipher, choice.flags, choice.incarnation);
    if (!noise::write_second(h, secret, payload.bytes, written.message.noise)) return written;
    write_mac1(written.message, keys);
    written.ok = true;
    return written;
}

Read<Response> read_response(std::span<const std::byte> datagram, const MacKeys &keys)
{
    Read<Response> read = read_with_mac1<Response>(datagram, DatagramType::response, keys);
    if (read.reading == Reading::ok && !sodium_is_zero(read.message.mac2, 16))
        read.reading = Reading::malformed;
    return read;
}

OpenedChoice open_response(NoiseHandshake &h, const uint8_t (&secret)[32], const Response &message,
                           const Offer &offer)
{
    Payload payload;
    if (!noise::read_second(h, secret, message.noise, payload.bytes)) return {};
    for (const Cipher cipher : {Cipher::aes256_gcm, Cipher::chacha20_poly1305})
        if (ciphers_of(payload) == bit(cipher))
            return {(offer.ciphers & bit(cipher)) != 0, cipher, incarnation_of(payload)};
    return {};
}

// --- Cookies ---

Cookie make_cookie(const uint8_t (&cookie_secret)[32], const Address &address)
{
    uint8_t where[sizeof address.ip + 2];
    std::memcpy(where, address.ip, sizeof address.ip);
    where[sizeof address.ip] = static_cast<uint8_t>(address.port);
    where[sizeof address.ip + 1] = static_cast<uint8_t>(address.port >> 8);
    Cookie cookie;
    crypto_generichash(cookie.bytes, sizeof cookie.bytes, where, sizeof where, cookie_secret,
                       sizeof cookie_secret);
    return cookie;
}

CookieReply write_cookie_reply(EntropySource &entropy, const uint8_t (&receiver_id)[4],
                               const Cookie &cookie, const uint8_t (&mac1)[16], const MacKeys &keys)
{
    CookieReply message = blank<CookieReply>(DatagramType::cookie_reply);
    std::memcpy(message.receiver_id, receiver_id, sizeof message.receiver_id);
    entropy::fill(entropy, message.nonce);
    crypto_aead_xchacha20poly1305_ietf_encrypt(message.sealed_cookie, nullptr, cookie.bytes,
                                               sizeof cookie.bytes, mac1, sizeof mac1, nullptr,
                                               message.nonce, keys.cookie);
    return message;
}

Read<CookieReply> read_cookie_reply(std::span<const std::byte> datagram)
{
    return read_plain<CookieReply>(datagram, DatagramType::cookie_reply);
}

OpenedCookie open_cookie_reply(const CookieReply &message, const uint8_t (&mac1)[16],
                               const MacKeys &keys)
{
    OpenedCookie opened = {};
    opened.ok =
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            opened.cookie.bytes, nullptr, nullptr, message.sealed_cookie,
            sizeof message.sealed_cookie, mac1, sizeof mac1, message.nonce, keys.cookie) == 0;
    return opened;
}

void write_mac2(Initiation &message, const Cookie &cookie)
{
    const Mac mac = mac_before(message, message.mac2, cookie.bytes);
    std::memcpy(message.mac2, mac.bytes, sizeof mac.bytes);
}

bool has_mac2(const Initiation &message)
{
    return !sodium_is_zero(message.mac2, sizeof message.mac2);
}

bool is_mac2(const Initiation &message, const Cookie &cookie)
{
    const Mac mac = mac_before(message, message.mac2, cookie.bytes);
    return sodium_memcmp(mac.bytes, message.mac2, sizeof mac.bytes) == 0;
}

// --- Version refusal ---

VersionRefusal write_version_refusal(const uint8_t (&receiver_id)[4], const MacKeys &keys)
{
    VersionRefusal message = blank<VersionRefusal>(DatagramType::version_refusal);
    std::memcpy(message.receiver_id, receiver_id, sizeof message.receiver_id);
    write_mac1(message, keys);
    return message;
}

Read<VersionRefusal> read_version_refusal(std::span<const std::byte> datagram, const MacKeys &keys)
{
    return read_with_mac1<VersionRefusal>(datagram, DatagramType::version_refusal, keys);
}

PeekedId peek_id(std::span<const std::byte> datagram)
{
    PeekedId peeked = {};
    if (datagram.size() < sizeof(VersionRefusal)) return peeked;
    std::memcpy(peeked.bytes, datagram.data() + id_at, sizeof peeked.bytes);
    peeked.ok = true;
    return peeked;
}

}
