// Invites as text: "tern1-" and base64url of the record, with a checksum against typing errors.
// Format: docs/wire_format.md, "Invites".
#include "session/misuse.h"
#include "session/session.h"
#include "session/session_types.h"
#include "transport/sockets/addresses.h"
#include <cstring>
#include <sodium.h>

using namespace tern;

static constexpr char invite_prefix[] = "tern1-";
static constexpr size_t prefix_bytes = sizeof invite_prefix - 1;
static constexpr size_t checksum_bytes = 4;
static constexpr size_t record_bytes_max = 8 + 32 + 32 + 1 + 18 * invite_addresses_max;

// Whether newcomers can send to these addresses.
static bool are_reachable(const misuse::Entry &entry, std::span<const Address> addresses)
{
    if (addresses.empty() || addresses.size() > invite_addresses_max)
        return misuse::report(entry,
                              "Pass the addresses at which newcomers reach this process, such as "
                              "this machine's in the local network.",
                              "There are %zu addresses, and an invite has 1 to %zu.",
                              addresses.size(), invite_addresses_max);
    const char *remedy = "Pass the IP at which others reach this process, and the port of its "
                         "socket.";
    for (size_t i = 0; i < addresses.size(); ++i) {
        if (address::is_unspecified(addresses[i]))
            return misuse::report(entry, remedy, "addresses[%zu] is 0.0.0.0 or ::.", i);
        if (addresses[i].port == 0)
            return misuse::report(entry, remedy, "addresses[%zu] has port 0.", i);
    }
    return true;
}

tern_result tern_make_invite(const tern_session *session, const tern_address *addresses,
                             size_t count, tern_invite *made)
{
    if (made) *made = {};
    const misuse::Entry entry(session, "make_invite");
    if (!entry || !misuse::is_in(entry)) return TERN_MISUSE;
    if (!misuse::is_given(entry, "addresses", addresses, count)) return TERN_MISUSE;
    if (!are_reachable(entry, {to_cpp(addresses), count})) return TERN_MISUSE;
    if (!misuse::is_given(entry, "invite", made)) return TERN_MISUSE;
    const Session &s = *session;
    Invite &invite = *to_cpp(made);
    invite = s.invite;
    std::memcpy(invite.key, s.secrets.keys.public_key, sizeof invite.key);
    invite.address_count = static_cast<uint8_t>(count);
    std::copy_n(to_cpp(addresses), count, invite.addresses);
    return TERN_OK;
}

static void checksum(std::span<const std::byte> record, uint8_t (&sum)[checksum_bytes])
{
    uint8_t hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char *>(record.data()),
                       record.size(), nullptr, 0);
    std::memcpy(sum, hash, checksum_bytes);
}

// A player who copies a text copies such characters, too, also where a line was broken.
static constexpr const char *white_space = " \t\r\n";

static size_t write_record(const Invite &invite, std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, invite.session, 64);
    bits::write_bytes(w, std::as_bytes(std::span(invite.key)));
    bits::write_bytes(w, std::as_bytes(std::span(invite.secret)));
    bits::write(w, invite.address_count, 8);
    for (uint8_t i = 0; i < invite.address_count; ++i) {
        bits::write_bytes(w, std::as_bytes(std::span(invite.addresses[i].ip)));
        bits::write(w, invite.addresses[i].port, 16);
    }
    return bits::size_bytes(w);
}

static bool read_record(std::span<const std::byte> record, Invite &invite)
{
    BitReader r = bits::reader(record);
    invite.session = bits::read(r, 64);
    bits::read_bytes(r, std::as_writable_bytes(std::span(invite.key)));
    bits::read_bytes(r, std::as_writable_bytes(std::span(invite.secret)));
    invite.address_count = static_cast<uint8_t>(bits::read(r, 8));
    if (invite.address_count == 0 || invite.address_count > invite_addresses_max) return false;
    for (uint8_t i = 0; i < invite.address_count; ++i) {
        bits::read_bytes(r, std::as_writable_bytes(std::span(invite.addresses[i].ip)));
        invite.addresses[i].port = static_cast<uint16_t>(bits::read(r, 16));
        if (invite.addresses[i].port == 0) return false;
    }
    return bits::complete(r);
}

void tern_invite_text(const tern_invite *printed, char text[TERN_INVITE_TEXT_MAX])
{
    if (text) std::memset(text, 0, TERN_INVITE_TEXT_MAX);
    if (!printed || !text) {
        misuse::report(MisuseHandler{}, "invite_text", "Pass an invite, and room for its text.",
                       "The invite or the text is a null pointer.");
        return;
    }
    const Invite &invite = *to_cpp(printed);
    if (invite.address_count > invite_addresses_max) {
        misuse::report(MisuseHandler{}, "invite_text", "Make invites with make_invite().",
                       "The invite has %u addresses, and at most %zu are allowed.",
                       invite.address_count, invite_addresses_max);
        return;
    }
    std::byte record[record_bytes_max + checksum_bytes];
    const size_t size = write_record(invite, record);
    uint8_t sum[checksum_bytes];
    checksum(std::span(record, size), sum);
    std::memcpy(record + size, sum, checksum_bytes);
    std::memcpy(text, invite_prefix, prefix_bytes);
    sodium_bin2base64(text + prefix_bytes, TERN_INVITE_TEXT_MAX - prefix_bytes,
                      reinterpret_cast<const unsigned char *>(record), size + checksum_bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

const char *tern_parse_invite(const char *text, tern_invite *invite)
{
    if (invite) *invite = {};
    if (!text) return "it is a null pointer";
    text += std::strspn(text, white_space);
    if (std::strncmp(text, invite_prefix, prefix_bytes) != 0)
        return "an invite begins with \"tern1-\"";
    std::byte record[record_bytes_max + checksum_bytes];
    size_t size = 0;
    const char *end = nullptr;
    const char *code = text + prefix_bytes;
    const int decoded = sodium_base642bin(reinterpret_cast<unsigned char *>(record), sizeof record,
                                          code, std::strlen(code), white_space, &size, &end,
                                          sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    if (decoded != 0) return "it is cut short or too long, or has a character that no invite has";
    if (*end != '\0') return "it has a character that no invite has";
    if (size < checksum_bytes + 8 + 32 + 32 + 1 + 18) return "it is cut short";
    uint8_t sum[checksum_bytes];
    checksum(std::span(record, size - checksum_bytes), sum);
    if (std::memcmp(sum, record + size - checksum_bytes, checksum_bytes) != 0)
        return "a character is wrong or missing: its checksum does not match";
    Invite parsed = {};
    if (!read_record(std::span(record, size - checksum_bytes), parsed))
        return "it is of another version";
    if (invite) *to_cpp(invite) = parsed;
    return nullptr;
}
