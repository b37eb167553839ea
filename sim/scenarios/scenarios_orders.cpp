#include "sim/scenarios/scenarios.h"
#include <vector>

namespace tern::scenarios {

static constexpr Scenario own[] = {
    {"S1", R"(tern-trace 1 explore
title S1: CREATE comes last, after MIGRATE and DESTROY
scope peers 3
create 2
deliver 2>1
claim 1 2.1
destroy 1 2.1
deliver 1>3             # MIGRATE
expect 3 alive 2.1 owner 1 stamp 1
deliver 1>3             # DESTROY
expect 3 dead 2.1
deliver 2>3             # CREATE
expect 3 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"ghost", R"(tern-trace 1 explore
title The ghost that MIGRATE-as-CREATE leaves, if nobody remembers the dead
scope peers 3
create 2
deliver 2>1             # CREATE
claim 1 2.1
destroy 1 2.1
deliver 1>3             # MIGRATE, which creates
deliver 1>3             # DESTROY
deliver 2>3             # CREATE comes last.
crash 2                 # The creator cannot tell of the death any more.
notice 2>1
flow
expect quiet
)",
     Mutant::no_memory_of_the_dead},
    {"S2", R"(tern-trace 1 explore
title S2: a peer hears of the death of an object that it never knew
scope peers 3
create 2
destroy 2 2.1
flow 2>1
crash 2
notice 2>1
expect 3 unknown 2.1
deliver 1>3             # QUERY: 2 is fenced, and with it the CREATE on its way
deliver 3>1             # REPORT
expect 3 unknown 2.1
deliver 1>3             # the dead
expect 3 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"S2-late", R"(tern-trace 1 explore
title S2: a DESTROY comes without the MIGRATE before it, and then the CREATE
scope peers 3
create 2
deliver 2>1             # CREATE
hold 1>3
claim 1 2.1
destroy 1 2.1
pull 1>3                # Of what is dead only that is said.
deliver 1>3
expect 3 dead 2.1
deliver 2>3             # CREATE comes last.
expect 3 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"S3", R"(tern-trace 1 explore
title S3: an UPDATE comes after the DESTROY
scope peers 3
create 2
flow
set 2 2.1
destroy 2 2.1
deliver 2>3             # DESTROY
update 2>3 1
expect 3 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"S4", R"(tern-trace 1 explore
title S4: two peers claim one object at once
scope peers 3
create 1
flow
claim 2 1.1
claim 3 1.1
deliver 2>1             # Granted under 1,
deliver 3>1             # and under 2.
deliver 1>3
expect 3 alive 1.1 owner 3 stamp 2
deliver 1>2
expect 2 alive 1.1 owner 2 stamp 1
deliver 2>3             # The older MIGRATE comes after the newer grant.
expect 3 alive 1.1 owner 3 stamp 2
flow
expect all alive 1.1 owner 3 stamp 2
expect all claims 0
expect quiet
)"},
    {"S4-late", R"(tern-trace 1 explore
title S4: a GRANT waits until the object has gone to another, and been changed there
scope peers 3
create 2
hold 1>3
flow
claim 3 2.1
deliver 3>1             # Granted under 1: said to 3 when there is room.
claim 1 2.1             # Granted under 2.
set 1 2.1
expect 1 alive 2.1 owner 1 stamp 2 write 1
pull 1>3                # The GRANT, then the MIGRATE.
deliver 1>3
expect 3 alive 2.1 owner 2 stamp 0 write 0
expect 3 claims 0
flow
expect all alive 2.1 owner 1 stamp 2 write 1
expect quiet
)"},
    {"S5", R"(tern-trace 1 explore
title S5: a claim crosses the owner's DESTROY
scope peers 3
create 2
flow
claim 3 2.1
destroy 2 2.1
deliver 2>1             # DESTROY
deliver 3>1             # CLAIM
expect 3 claims 1
deliver 1>3             # Refused: dead.
expect 3 claims 0
flow
expect all dead 2.1
expect quiet
)"},
    {"S6", R"(tern-trace 1 explore
title S6: DESTROY of a tenure races MIGRATE of the next
scope peers 4
create 2
flow
claim 3 2.1
deliver 3>1             # CLAIM
destroy 2 2.1
deliver 1>3             # GRANT
expect 3 alive 2.1 owner 3 stamp 1
deliver 2>4             # DESTROY, then MIGRATE
deliver 3>4
expect 4 dead 2.1
deliver 3>1             # MIGRATE, then DESTROY
expect 1 alive 2.1 owner 3 stamp 1
deliver 2>1
expect 1 dead 2.1
deliver 3>2             # MIGRATE at who destroyed it
expect 2 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"S7", R"(tern-trace 1 explore
title S7: from A to B to A, and an UPDATE of A's first tenure comes in both that follow
scope peers 3
create 2
flow
set 2 2.1               # Of the first tenure; 3 gets two UPDATEs of it late.
set 2 2.1
update 2>1 1
claim 1 2.1
flow 1>2
flow 1>3
expect 3 alive 2.1 owner 1 stamp 1 write 1
update 2>3 2
expect 3 alive 2.1 owner 1 stamp 1 write 1
claim 2 2.1
flow 2>1
flow 1>2
flow 2>3
expect 3 alive 2.1 owner 2 stamp 2 write 1
set 2 2.1               # Of the third tenure: again write 1.
update 2>3 2
expect 3 alive 2.1 owner 2 stamp 2 write 1
update 2>3 1            # The other one of the first.
expect 3 alive 2.1 owner 2 stamp 2 write 1
set 2 2.1
flow
expect all alive 2.1 owner 2 stamp 2 write 2
expect quiet
)"},
    {"S8", R"(tern-trace 1 explore
title S8: MIGRATE comes before CREATE (Bitsquid's race)
scope peers 3
create 2
deliver 2>1             # CREATE
claim 1 2.1
deliver 1>3             # MIGRATE, which creates
expect 3 alive 2.1 owner 1 stamp 1
deliver 2>3             # CREATE, which is of the past
expect 3 alive 2.1 owner 1 stamp 1
flow
expect all alive 2.1 owner 1 stamp 1
expect quiet
)"},
    {"S9", R"(tern-trace 1 explore
title S9: a new owner writes before its MIGRATE has arrived
scope peers 3
create 1
flow
claim 2 1.1
flow 2>1
flow 1>2
set 2 1.1               # No UPDATE before the MIGRATE is acked.
expect 1,3 alive 1.1 write 0
deliver 2>3
deliver 2>1
flow
expect all alive 1.1 owner 2 stamp 1 write 1
expect quiet
)"},
    {"S10", R"(tern-trace 1 explore
title S10: the owner crashes, and CREATE has reached one
scope peers 3
create 2
deliver 2>3
crash 2
notice 2>1
flow
expect all alive 2.1 owner 1 stamp 1
expect quiet
)"},
    {"S10-mortal", R"(tern-trace 1 explore
title S10: the owner crashes, CREATE has reached one, and its orphans die
scope peers 3 mortal 1
create 2
deliver 2>3
crash 2
notice 2>1
flow
expect all dead 2.1
expect quiet
)"},
    {"S11", R"(tern-trace 1 explore
title S11: the owner crashes, and DESTROY has reached one
scope peers 4
create 2
flow
destroy 2 2.1
deliver 2>3
crash 2
notice 2>1
expect 1,4 alive 2.1 owner 2 stamp 0
flow
expect all dead 2.1
expect quiet
)"},
    {"lock", R"(tern-trace 1 explore
title A claim that comes after the owner's lock is refused, one after its end granted
scope peers 3
create 2
flow
claim 3 2.1
lock 2 2.1
deliver 2>1             # LOCK
deliver 3>1             # CLAIM
deliver 1>3             # Refused.
expect 3 claims 0
expect all alive 2.1 owner 2 stamp 0
lock 2 2.1              # It is unlocked.
flow
claim 3 2.1
flow
expect all alive 2.1 owner 3 stamp 1
expect quiet
)"},
    {"release", R"(tern-trace 1 explore
title The host crashes before it hears that an object is released, and the next one is told
scope peers 3
create 3
flow
release 3 3.1
crash 1
notice 1>2
notice 1>3
expect 3 alive 3.1 owner 3 stamp 0
flow
expect 2 alive 3.1 owner 2 stamp 1
expect 3 alive 3.1 owner 2 stamp 1
expect quiet
)"},
    {"S14-report", R"(tern-trace 1 explore
title S14: a second crash, and a report of the tenure before the one that is gone
scope peers 4
create 2
crash 2
deliver 2>1
deliver 2>3
claim 3 2.1
deliver 2>4
deliver 3>1             # CLAIM
notice 2>1
deliver 1>3             # GRANT, QUERY
deliver 1>3
crash 3
deliver 1>4             # QUERY
flow 3>1                # MIGRATE, REPORT
flow 4>1                # REPORT; the departure of 2 ends.
notice 3>1
flow 1>4                # QUERY: 4 fences 3 before it has heard its MIGRATE,
flow 4>1                # and reports 2.1 as 2's, who is no member any more. That is no forgery.
flow
expect all alive 2.1 owner 1 stamp 2
expect quiet
)"},
    {"S18", R"(tern-trace 1 explore
title S18: a newcomer comes while an object migrates and dies
scope peers 3 joins 1
create 2
flow
claim 1 2.1             # Its MIGRATEs are on their way
join 4>1
destroy 1 2.1           # and so is its DESTROY.
deliver 1>4             # Welcome
deliver 1>2             # MIGRATE
deliver 1>2             # VIEW: 2 greets 4, and says nothing of what is not its own.
deliver 2>4
expect 4 unknown 2.1
deliver 1>3
deliver 1>3
deliver 3>4
flow
expect all dead 2.1
expect quiet
)"},
    {"S18-ghost", R"(tern-trace 1 explore
title S18: a newcomer is greeted with an object that its owner does not know to be dead
scope peers 3 joins 1
create 2
flow
claim 1 2.1
destroy 1 2.1           # Said to 2 and 3 before there is a 4.
join 4>1
deliver 1>4             # Welcome
flow 1>4                # MIGRATE is pointless by now; the dead
expect 4 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"S19", R"(tern-trace 1 explore
title S19: a newcomer crashes while it is greeted, and comes back as another
scope peers 3
create 2
flow
join 4>1
deliver 1>4             # Welcome
deliver 1>2
deliver 2>4             # CREATE
expect 4 alive 2.1 owner 2 stamp 0
crash 4
destroy 2 2.1
notice 4>1
join 5>1
flow
expect all dead 2.1
expect quiet
)"},
    {"S24", R"(tern-trace 1 explore
title S24: a claim of what its owner's crash has orphaned
scope peers 3
create 2
flow
crash 2
notice 2>1
claim 3 2.1
flow
expect all alive 2.1 owner 3 stamp 2         # 1 is the adoption.
expect all claims 0
expect quiet
)"},
    {"S25", R"(tern-trace 1 explore
title S25: destroyed, and made again
scope peers 3
create 2
flow
destroy 2 2.1
create 2
deliver 2>3
flow
expect all dead 2.1
expect all alive 2.2 owner 2 stamp 0
expect quiet
)"},
    {"star-claim", R"(tern-trace 1 explore
title clients of a star hear of each other through the host alone
scope peers 3 star 1
create 2
deliver 2>1             # CREATE
deliver 1>3             # RELAY
expect 3 alive 2.1 owner 2 stamp 0
claim 3 2.1
deliver 3>1             # CLAIM
deliver 1>3             # GRANT
deliver 3>1             # MIGRATE
deliver 1>2             # RELAY
expect 2 alive 2.1 owner 3 stamp 1
destroy 3 2.1
deliver 3>1             # DESTROY
deliver 1>2             # DESTROY
expect all dead 2.1
expect quiet
)"},
    {"star-next", R"(tern-trace 1 explore
title the host of a star dies before all have heard of a migration
scope peers 3 star 1
create 2
flow
claim 3 2.1
deliver 3>1             # CLAIM
deliver 1>3             # GRANT
deliver 3>1             # MIGRATE, which the host does not tell
crash 1
notice 1>2
notice 1>3
flow
expect all alive 2.1 owner 3 stamp 1
expect quiet
)"},
};

std::span<const Scenario> orders()
{
    static const std::vector<Scenario> all = [] {
        std::vector<Scenario> joined(std::begin(own), std::end(own));
        for (const auto &more : {orders_of_hosts(), orders_of_others()})
            joined.insert(joined.end(), more.begin(), more.end());
        return joined;
    }();
    return all;
}

const Scenario *find_order(std::string_view name)
{
    for (const Scenario &scenario : orders())
        if (scenario.name == name) return &scenario;
    return nullptr;
}

}
