// Mutants: switches that each remove one rule, so that a test can show that the checks find its
// absence. Patches beside this file use TERN_MUTANT(); only builds with TERN_MUTANTS have it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern {

// All mutants, each with the fault that it causes.
#define TERN_ALL_MUTANTS(X)                                                                        \
    X(no_memory_of_the_dead, "a dead object leaves no trace")                                      \
    X(update_ignores_the_tick, "an UPDATE is applied whether or not it is newer")                  \
    X(update_without_tenure, "an UPDATE of any tenure is applied, if only it is newer")            \
    X(only_what_is_not_in_flight, "an UPDATE leaves out what an unacked one carries")              \
    X(values_compared, "a field that returned to its acked value is not sent")                     \
    X(update_before_the_ack, "UPDATEs are sent before the CREATE or MIGRATE is acked")             \
    X(stamp_ignored, "CREATE and MIGRATE of an older stamp replace a newer tenure")                \
    X(old_destroy_ignored, "a DESTROY of a former tenure is ignored")                              \
    X(migrate_does_not_create, "a MIGRATE of an unknown object is ignored")                        \
    X(stamp_given_twice, "the host's counter does not rise with each grant")                       \
    X(report_before_fencing, "a QUERY is answered before what it names is fenced")                 \
    X(no_fence, "messages of fenced peers are still applied")                                      \
    X(orphans_left_alone, "nobody is granted what a departed peer owned")                          \
    X(dead_not_relayed, "the end of a departure does not tell the dead")                           \
    X(world_sync_without_the_dead, "a newcomer is not told the dead")                              \
    X(joiner_acts_early, "a newcomer counts as in when its host has greeted it")                   \
    X(newcomer_not_synced, "members do not tell a newcomer what they own")                         \
    X(dead_forgotten_on_a_timer, "the dead are forgotten after some ticks")                        \
    X(no_authority_check, "whoever sends a MIGRATE or DESTROY is believed")                        \
    X(claim_not_answered, "a claim that lost is not refused")                                      \
    X(overtaken_grant_taken, "a GRANT that waited until a later tenure had begun is taken")        \
    X(own_copy_preferred, "a new owner goes on from its own copy, though the host's is newer")     \
    X(past_tenure_announced, "a CREATE that waited is said though its tenure has ended")           \
    X(ack_of_a_past_tenure, "the ack of a former tenure's CREATE lets UPDATEs go")                 \
    X(state_not_requeued, "an announcement in flight is not repeated over a new connection")       \
    X(death_not_requeued, "deaths in flight are not repeated over a new connection")               \
    X(waiting_grant_unanswered, "a GRANT overtaken while it waits is dropped without an answer")   \
    X(older_value_reported, "a report of the same tenure replaces a newer value")                  \
    X(any_death_believed, "a member may report the deaths of all that others will ever make")      \
    X(work_unbounded, "a member may send as much work in a tick as it likes")                      \
    X(shortage_endures, "who lacks room does not ask who has exceeded its lease")                  \
    X(ungranted_tenure_reported, "a member may report tenures that the host has not granted")      \
    X(report_removes, "a host that stays removes whom a member reports as gone")                   \
    X(first_place_counts, "a later owner is charged for another place that the creator named")     \
    X(answer_never_late, "a member may take for ever to answer a query")                           \
    X(no_term, "a new host stamps as if it were the first")                                        \
    X(own_term_plus_one, "a new host looks only at the terms that it has seen itself")             \
    X(one_query_slot, "a QUERY takes the place of another sender's that waits")                    \
    X(half_departed_kept, "whom a lost host had counted out at some stays on the roster")          \
    X(fenced_not_listed, "a VIEW strikes off who is being counted out before all have reported")   \
    X(no_majority, "few go on as if they were most")                                               \
    X(half_is_never_enough, "the host with half of the votes never goes on")                       \
    X(goodbye_not_passed_on, "a QUERY does not say who has left with a goodbye")                   \
    X(joiner_stays_on, "a newcomer whose host goes does not start over")                           \
    X(claims_not_asked_again, "what a lost host left unanswered is not asked of the next")         \
    X(former_hosts_forgotten, "what a former host granted cannot be told from a forgery")          \
    X(lock_ignored, "the host grants claims of what its owner has locked")                         \
    X(quota_ignored, "who owns all that it may is granted claims")                                 \
    X(cooldown_short, "a cooldown ends after a tenth of its time")                                 \
    X(lock_outlives_its_tenure, "what was locked stays so for the next owner")                     \
    X(release_not_resent, "what a lost host left unreleased is not asked of the next")             \
    X(refused_value_stays, "what an optimistic claim has set still shows after its refusal")       \
    X(optimistic_value_leaks, "what an optimistic claim has set is sent before it is granted")     \
    X(ack_of_another, "the host of a star takes one client's ack for all")                         \
    X(older_value_sent, "the host of a star tells an old value as of now")                         \
    X(client_believed, "in a star a client is believed what only the host may tell")               \
    X(call_passed_on_twice, "the host of a star passes a reliable call on twice")                  \
    X(first_group_decides, "a message of snapshots counts when that of its first group does")      \
    X(useless_snapshot_counts, "what was built on a snapshot that was lost counts as told")        \
    X(visibility_without_a_tick, "who tells of an object hides it by an older word, too")          \
    X(shown_again_unsaid, "what is shown again is not told before it changes")                     \
    X(rest_not_flushed, "what is held back is not told when it comes to rest")                     \
    X(base_taken_for_granted, "a snapshot is read against a base that never came")                 \
    X(early_call_lost, "a call to or from the next host of a star is dropped where it is early")   \
    X(old_code_sent, "what was coded of a value is sent again of the next")                        \
    X(fields_of_another, "what was written to one peer goes to another that needs more of it")     \
    X(acked_before_complete, "a message counts as acked with its first byte")                      \
    X(acked_though_not_applied, "a packet is acked though a message in it had no room")            \
    X(acked_too_early, "an UPDATE is acked though what it builds on still waits")                  \
    X(stranger_acked, "what is sent is acked before it is known who sends it")                     \
    X(shrunken_path_unnoticed, "large packets go on where they do not arrive any more")            \
    X(copies_not_charged, "what a stream sends again is charged to nobody")                        \
    X(loss_not_reported, "what a lost packet held is not sent again")                              \
    X(stream_skips_a_gap, "stream bytes behind a gap are handed out")                              \
    X(replay_window_off_by_one, "the oldest packet of the replay window passes twice")             \
    X(nonce_reset, "packet numbers start again under the same key")                                \
    X(call_delivered_twice, "a reliable call that was sent twice is heard twice")                  \
    X(call_to_a_former_owner, "a call for the owner is heard by who owns the object no more")      \
    X(call_not_held, "a call for the owner of an object that is not known yet is heard")           \
    X(moved_call_forgotten, "a call that came to a former owner is not sent to the next")          \
    X(moved_calls_overtaken, "a call for the owner goes before those that follow the object")      \
    X(lost_call_tried_again, "a call that may have been heard is said again")                      \
    X(callers_not_checked, "a call is heard, whoever calls")                                       \
    X(calls_without_limit, "calls of a type are heard as often as they come")                      \
    X(replied_twice, "a reply that comes again is another event")                                  \
    X(bridge_to_another, "who bridges a pair forwards to another member")                          \
    X(bridged_as_from_the_bridge, "a bridged datagram counts as that of who bridges")              \
    X(relay_names_no_address, "who bridges a pair does not name an end that moves to the other")   \
    X(address_not_validated, "what is sent to a peer goes where its newest packet came from")      \
    X(creation_without_event, "object_created is never given")                                     \
    X(change_without_event, "object_changed is never given")                                       \
    X(earlier_changes_unnamed, "object_changed names only what changed last in a tick")            \
    X(departure_without_event, "peer_left is never given")                                         \
    X(lost_ticks_uncounted, "lost_ticks is always 0")                                              \
    X(present_tick_survives, "a granted value counts as one of the new owner's tick")              \
    X(handed_on_event_changed, "an object that is hidden and shown in one tick stays hidden")      \
    X(updates_pause, "no UPDATE is written in every second window of 256 ticks")                   \
    X(sample_is_zero, "sample() writes zeros")                                                     \
    X(bounded_sent_at_rest_only, "a field with an error bound is sent only when it rests")         \
    X(tags_not_counted, "received bytes are counted without the tags")                             \
    X(caller_is_the_host, "the event of a call names the host as its caller")                      \
    X(place_shared, "a newer creation in a place leaves the older one alive")                      \
    X(lease_ignored, "create() succeeds without a place")                                          \
    X(place_freed_early, "a place goes to others before all have acked the death in it")           \
    X(places_of_the_departed_lost, "the places of departed members come back to nobody")           \
    X(place_given_twice, "the host keeps a place that it leases to a member")                      \
    X(few_remove_most, "members are removed though too few are left to go on")                     \
    X(removed_before_heard, "who comes back after a split is removed before it is heard")          \
    X(query_waits_its_turn, "the next host of a star queries after all that waits")                \
    X(asks_lower_only, "a client that is cut off asks only those before it, and its last host")    \
    X(keeps_what_was_held, "the host keeps what it holds for a member that has come back")         \
    X(never_meets, "a host ignores the MEET of another session's host")                            \
    X(lease_not_checked, "the host lets a member create more than its lease allows")               \
    X(breaches_forgiven, "the host removes nobody for what it has found itself")                   \
    X(one_accuser_suffices, "the host removes whom a single member accuses")                       \
    X(accused_once, "a new host is not told who has broken the rules")                             \
    X(two_grants_unnoticed, "who holds two grants of one stamp does not notice that they differ")  \
    X(incarnations_confused, "a connection of a former incarnation counts as that of the present")

enum class Mutant : uint8_t {
    none,
#define TERN_ONE_MUTANT(name, wrong) name,
    TERN_ALL_MUTANTS(TERN_ONE_MUTANT)
#undef TERN_ONE_MUTANT
};

struct MutantText {
    const char *name;
    const char *wrong; // The fault while it is on.
};

inline constexpr MutantText mutant_texts[] = { // Indexed by Mutant.
    {"none", "nothing"},
#define TERN_ONE_MUTANT(name, wrong) {#name, wrong},
    TERN_ALL_MUTANTS(TERN_ONE_MUTANT)
#undef TERN_ONE_MUTANT
};
inline constexpr size_t mutant_count =
    sizeof mutant_texts / sizeof mutant_texts[0]; // Counts `none`, too.

#ifdef TERN_MUTANTS
// The only global variables. A process of such a build runs one test at a time.
inline Mutant mutant = Mutant::none;
// Data packets are not encrypted, grants are not signed, and the shared secret of a handshake
// follows from both public keys.
inline bool stub_crypto = false;
#define TERN_MUTANT(name) (::tern::mutant == ::tern::Mutant::name)
#define TERN_STUB_CRYPTO ::tern::stub_crypto
#endif

}
