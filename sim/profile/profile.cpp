#include "sim/profile/profile.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tern::profile {

namespace {

constexpr const char *messages_name = "messages", *overhead_name = "overhead",
                     *heads_name = "heads";

ProfileRow &row(Profile &profile, const ProfileRow &like)
{
    for (ProfileRow &one : profile.rows)
        if (one.kind == like.kind && one.type == like.type && one.field == like.field) return one;
    profile.rows.push_back({like.kind, like.type, like.field, 0, 0});
    return profile.rows.back();
}

bool is_overhead(const std::string &kind)
{
    for (auto i = static_cast<size_t>(TrafficKind::handshake); i < traffic_kinds; ++i)
        if (kind == to_text(static_cast<TrafficKind>(i))) return true;
    return false;
}

ProfileNode &part(ProfileNode &node, const std::string &name)
{
    for (ProfileNode &one : node.parts)
        if (one.name == name) return one;
    node.parts.push_back({name, 0, 0, {}});
    return node.parts.back();
}

void add(ProfileNode &root, const ProfileRow &row)
{
    std::vector<std::string> names;
    if (row.type.empty())
        names = {is_overhead(row.kind) ? overhead_name : messages_name, row.kind};
    else
        names = {row.type, row.kind, row.field.empty() ? heads_name : row.field};
    ProfileNode *node = &root;
    for (size_t i = 0; i < names.size(); ++i) {
        node->bits += row.bits;
        node = &part(*node, names[i]);
        if (i == 1 && row.field.empty())
            node->count += row.count; // Heads count the values of a kind.
    }
    node->bits += row.bits;
    if (names.size() == 3) node->count += row.count;
}

void sort(ProfileNode &node)
{
    for (ProfileNode &one : node.parts)
        sort(one);
    std::stable_sort(node.parts.begin(), node.parts.end(),
                     [](const ProfileNode &a, const ProfileNode &b) { return a.bits > b.bits; });
}

std::string name(const ProfileRow &row)
{
    std::string name = row.type.empty() ? "" : row.type + " ";
    name += row.kind;
    if (!row.type.empty()) name += " " + (row.field.empty() ? heads_name : row.field);
    return name;
}

}

void add(Profile &profile, const Session *session)
{
    const std::span<const Type> types = session_config(session).types;
    for (const TrafficRow &charged : traffic_rows(session)) {
        if (charged.bits == 0 && charged.count == 0) continue;
        ProfileRow like = {to_text(charged.kind), "", "", 0, 0};
        if (charged.type != no_type) like.type = types[charged.type].name;
        if (charged.field != no_field) like.field = types[charged.type].fields[charged.field].name;
        ProfileRow &sum = row(profile, like);
        sum.bits += charged.bits;
        sum.count += charged.count;
        if (charged.kind == TrafficKind::header || charged.kind == TrafficKind::handshake)
            profile.datagrams += charged.count;
    }
}

int64_t bits(const Profile &profile)
{
    int64_t sum = 0;
    for (const ProfileRow &one : profile.rows)
        sum += one.bits;
    return sum;
}

ProfileNode tree(const Profile &profile)
{
    ProfileNode root = {profile.title, 0, profile.datagrams, {}};
    int64_t unsent = 0;
    for (const ProfileRow &one : profile.rows)
        if (one.bits < 0)
            unsent += one.bits;
        else
            add(root, one);
    root.bits += unsent;
    sort(root);
    return root;
}

std::vector<ProfileChange> changes(const Profile &before, const Profile &after)
{
    std::map<std::string, std::pair<double, double>> rates;
    for (const ProfileRow &one : before.rows)
        rates[name(one)].first += static_cast<double>(one.bits) / before.seconds;
    for (const ProfileRow &one : after.rows)
        rates[name(one)].second += static_cast<double>(one.bits) / after.seconds;
    std::vector<ProfileChange> changes;
    for (const auto &[key, rate] : rates)
        if (rate.first != rate.second) changes.push_back({key, rate.first, rate.second});
    std::stable_sort(
        changes.begin(), changes.end(), [](const ProfileChange &a, const ProfileChange &b) {
            return std::abs(a.after_bps - a.before_bps) > std::abs(b.after_bps - b.before_bps);
        });
    return changes;
}

}
