#include "sim/world/ledger.h"
#include "base/hash.h"
#include <algorithm>
#include <cstring>

namespace tern::ledger {

static KnownObject if_known(const KnownObject &object)
{
    return object.id == ObjectId::none || object.life == Life::none ? KnownObject{} : object;
}

Steps steps(const Change &change)
{
    const KnownObject before = if_known(change.before), after = if_known(change.after);
    const bool one =
        before.id == ObjectId::none || after.id == ObjectId::none || before.id == after.id;
    if (one) {
        const ObjectId object = after.id == ObjectId::none ? before.id : after.id;
        return {{{object, before, after, change.value_changed, change.value}, {}},
                object == ObjectId::none ? size_t{0} : size_t{1}};
    }
    return {{{before.id, before, {}, false, {}}, {after.id, {}, after, true, change.value}}, 2};
}

uint64_t print(const Written &value)
{
    static_assert(sizeof(Written) == 32, "every byte counts");
    uint64_t words[4];
    std::memcpy(words, &value, sizeof words);
    uint64_t hash = hash::start;
    for (uint64_t word : words) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash | 1;
}

// --- Looking up ---

const ObjectRecord *find(const Ledger &ledger, ObjectId object)
{
    const auto creator = static_cast<size_t>(object_id::creator(object));
    const size_t serial = object_id::serial(object);
    if (creator >= ledger.objects.size() || serial >= ledger.objects[creator].size())
        return nullptr;
    const ObjectRecord &record = ledger.objects[creator][serial];
    return record.created ? &record : nullptr;
}

const Tenure *tenure(const ObjectRecord &record, Stamp stamp)
{
    for (size_t i = record.tenures.size(); i > 0; --i)
        if (record.tenures[i - 1].stamp == stamp) return &record.tenures[i - 1];
    return nullptr;
}

// --- Grants ---

void granted(Ledger &ledger, Stamp stamp, PeerId owner, std::span<const ObjectId> objects)
{
    const auto [at, is_new] = ledger.grants.try_emplace(stamp);
    GrantRecord &record = at->second;
    const bool same =
        !is_new && record.owner == owner &&
        std::equal(objects.begin(), objects.end(), record.objects.begin(), record.objects.end());
    if (is_new) {
        record.owner = owner;
        ledger.order_of_grants.push_back(stamp);
    }
    if (!is_new && !same) record.second_owner = owner;
    for (ObjectId object : objects)
        if (!same) record.objects.push_back(object);
}

void record_grants(Ledger &ledger, uint16_t node, const Replica &host)
{
    std::vector<std::pair<Stamp, PeerId>> &pool = ledger.hosts[node].pool;
    pool.resize(host.granting.all.count);
    // Most grants lie at the front, because the lowest index is handed out first: stop as soon as
    // all used ones are seen.
    uint32_t used = host.granting.all.capacity - host.granting.free.count;
    const auto before = static_cast<ptrdiff_t>(ledger.order_of_grants.size());
    for (uint32_t i = 0; i < host.granting.all.count && used > 0; ++i) {
        const Grant &grant = host.granting.all[i];
        used -= grant.references > 0;
        const std::pair<Stamp, PeerId> key = {grant.references > 0 ? grant.stamp : 0, grant.owner};
        if (pool[i] == key) continue;
        pool[i] = key;
        if (grant.references > 0 && stamps::parts(grant.stamp).host == host.self)
            granted(ledger, grant.stamp, grant.owner, {grant.objects, grant.object_count});
    }
    // The indices of one tick's grants say nothing of their order. The stamps rise.
    std::sort(ledger.order_of_grants.begin() + before, ledger.order_of_grants.end());
}

// --- What a peer does itself ---

static ObjectRecord &place(Ledger &ledger, ObjectId object)
{
    const auto creator = static_cast<size_t>(object_id::creator(object));
    const size_t serial = object_id::serial(object);
    if (creator >= ledger.objects.size()) ledger.objects.resize(creator + 1);
    std::vector<ObjectRecord> &records = ledger.objects[creator];
    if (serial >= records.size()) records.resize(serial + 1);
    return records[serial];
}

static void write(Tenure &tenure, const Written &value)
{
    if (value.sequence >= tenure.written.size()) tenure.written.resize(value.sequence + 1);
    uint64_t &written = tenure.written[value.sequence];
    if (written != 0) tenure.nudged.insert(written);
    written = print(value);
    tenure.newest = value.sequence;
}

static void note_write(Tenure &tenure, const Step &step, uint64_t now_us)
{
    const Written &value = step.value;
    const uint32_t sequence = value.tenure == tenure.stamp ? value.sequence : 0;
    OwnerWrite write = {now_us, print(value), step.after.tick, sequence, {}};
    std::copy_n(value.position, 3, write.position);
    tenure.writes.push_back(write);
}

static void own(ObjectRecord &record, const Step &step, uint64_t now_us)
{
    const bool began = step.before.id == ObjectId::none || step.before.stamp != step.after.stamp ||
                       step.before.owner != step.after.owner;
    if (began) {
        Tenure tenure = {};
        tenure.stamp = step.after.stamp;
        tenure.owner = step.after.owner;
        if (step.value.tenure != tenure.stamp) {
            tenure.base = print(step.value);
            tenure.began = step.value;
        }
        note_write(tenure, step, now_us);
        record.tenures.push_back(std::move(tenure));
    }
    const bool own_value = step.value.tenure == step.after.stamp;
    // The tenure need not be the last one: an owner that does not know of its successor's tenure
    // still writes in its own.
    for (size_t i = record.tenures.size(); i > 0; --i) {
        Tenure &tenure = record.tenures[i - 1];
        if (tenure.stamp != step.after.stamp || tenure.owner != step.after.owner) continue;
        tenure.last_tick = step.after.tick;
        if (!own_value || (!began && !step.value_changed)) return;
        if (!began) note_write(tenure, step, now_us);
        return write(tenure, step.value);
    }
}

void record(Ledger &ledger, PeerId self, PeerId host, const Step &step)
{
    const KnownObject &before = step.before, &after = step.after;
    const bool creates = before.id == ObjectId::none && after.id != ObjectId::none &&
                         object_id::creator(after.id) == self && after.stamp == 0 &&
                         after.owner == self;
    if (creates && !find(ledger, after.id)) {
        ObjectRecord &record = place(ledger, after.id);
        record.created = true;
        record.type = after.type;
        ledger.object_count += 1;
    }
    if (!find(ledger, step.object)) return;
    ObjectRecord &record = place(ledger, step.object);
    if (after.life == Life::alive && after.owner == self) own(record, step, ledger.now_us);
    // An object that the game destroys is marked until the next receive(). An orphan of a MORTAL
    // type is granted to the host, which destroys it in the same tick.
    const bool by_game = after.life == Life::destroyed;
    const bool by_policy = after.life == Life::dying && after.owner == self && self == host &&
                           before.stamp != after.stamp && record.type == MORTAL;
    if ((by_game || by_policy) && record.destroyed_by == PeerId::none) record.destroyed_by = self;
}

}
