#include "sim/network/wire.h"
#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_amplification {

namespace {

// The first byte of a datagram is its kind: docs/wire_format.md.
constexpr std::byte initiation{1}, response{2}, data{4};
constexpr size_t initiator_id_at = 4, responded_id_at = 8;
constexpr uint64_t factor = 3;
// The size of a challenge and of the answer to one. Like an initiation, a challenge may go to any
// address that the host names for a member. I10 exempts it because it is small and rare.
constexpr size_t challenge_bytes = 34;

Account &account(NodeRecord &record, const Address &address)
{
    for (Account &known : record.accounts)
        if (known.address == address) return known;
    Account account = {};
    account.address = address;
    record.accounts.push_back(account);
    return record.accounts.back();
}

bool is_first_byte(const Datagram &datagram, std::byte byte)
{
    return !datagram.bytes.empty() && datagram.bytes[0] == byte;
}

// True for an address that a NAT shows for a peer's datagrams.
bool is_mapped(const Address &address)
{
    const AddressNumber number = wire::number(address);
    return number >= first_mapped && number < first_shared;
}

uint32_t connection_id(const Datagram &datagram, size_t at)
{
    uint32_t id = 0;
    for (size_t i = 0; i < sizeof id && at + i < datagram.bytes.size(); ++i)
        id |= std::to_integer<uint32_t>(datagram.bytes[at + i]) << 8 * i;
    return id;
}

// A response may come from another address than the initiation went to, if that has changed, or if
// an attacker has sent it from there. The connection begins at the address that was asked.
void take_response(NodeRecord &record, uint32_t id)
{
    for (Account &asked : record.accounts) {
        if (asked.validated ||
            std::find(asked.asks.begin(), asked.asks.end(), id) == asked.asks.end())
            continue;
        asked.responded = asked.touched = true;
    }
}

void validate(NodeRecord &record, size_t i)
{
    record.accounts[i].validated = true;
    // Validated addresses are looked up most, so they come first.
    if (i > 0) std::swap(record.accounts[i], record.accounts[0]);
}

}

void sent(NodeRecord &record, const Datagram &datagram)
{
    Account &to = account(record, datagram.address);
    if (to.validated) return;
    if (is_first_byte(datagram, initiation)) {
        const uint32_t id = connection_id(datagram, initiator_id_at);
        if (std::find(to.asks.begin(), to.asks.end(), id) == to.asks.end()) to.asks.push_back(id);
        return;
    }
    if (is_first_byte(datagram, data) && datagram.bytes.size() == challenge_bytes) {
        to.challenged = true;
        return;
    }
    to.sent_bytes += datagram.bytes.size();
    to.touched = true;
}

void received(NodeRecord &record, const Datagram &datagram)
{
    Account &from = account(record, datagram.address);
    if (is_first_byte(datagram, response))
        take_response(record, connection_id(datagram, responded_id_at));
    if (from.validated) return;
    from.received_bytes += datagram.bytes.size();
    from.data_arrived = from.data_arrived || is_first_byte(datagram, data);
    from.touched = true;
}

Violation check(NodeRecord &record, const Node &node, uint16_t index,
                std::span<const Address> homes, bool journals)
{
    bool accepted = !journals;
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        // The packet that opens the connection of a member that is not known as one yet may not be
        // accepted. What is sent over that connection shows that it is open.
        const bool to_unknown = note.kind == NoteKind::sealed && note.peer == PeerId::none;
        accepted = accepted || note.kind == NoteKind::accepted || to_unknown;
    }
    for (size_t i = 0; i < record.accounts.size(); ++i) {
        Account &account = record.accounts[i];
        if (!account.touched && !(account.challenged && !account.validated)) continue;
        const bool is_node = is_mapped(account.address) ||
                             std::find(homes.begin(), homes.end(), account.address) != homes.end();
        // The answer to a challenge may have arrived over another path.
        const bool heard = account.data_arrived || account.challenged;
        const bool opens = (heard && accepted && is_node) || account.responded;
        account.touched = account.data_arrived = false;
        if (!opens && account.sent_bytes <= factor * account.received_bytes) continue;
        if (opens) {
            validate(record, i);
            continue;
        }
        const Address &to = account.address;
        return oracles::violation("I10", ObjectId::none, index,
                                  "peer %s has sent %llu bytes to %u.%u.%u.%u:%u, which has sent "
                                  "it %llu and is not validated",
                                  names::text(record.self).c_str(),
                                  static_cast<unsigned long long>(account.sent_bytes), to.ip[12],
                                  to.ip[13], to.ip[14], to.ip[15], to.port,
                                  static_cast<unsigned long long>(account.received_bytes));
    }
    return {};
}

}
