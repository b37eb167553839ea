#include "sim/scenarios.h"
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
deliver 1>2             # MIGRATE
deliver 1>2             # DESTROY
deliver 1>3             # MIGRATE, which creates
deliver 1>3             # DESTROY
deliver 2>3             # CREATE comes last.
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
    {"S12", R"(tern-trace 1 explore
title S12: the host crashes, and GRANT has reached only the claimer
scope peers 3
create 2
flow
claim 3 2.1
deliver 3>1             # CLAIM
deliver 1>3             # GRANT
crash 1
notice 1>2
notice 1>3
expect 2 alive 2.1 owner 2 stamp 0
flow
expect all alive 2.1 owner 3 stamp 1
expect all claims 0
claim 2 2.1             # The first grant of another host is another stamp.
flow
expect all alive 2.1 owner 2 stamp 1
expect quiet
)"},
    {"S13", R"(tern-trace 1 explore
title S13: the host crashes, GRANT has reached nobody, and the next host is asked again
scope peers 3
create 2
flow
claim 3 2.1
deliver 3>1             # CLAIM
crash 1
notice 1>3
deliver 1>3             # GRANT: 3 has fenced 1.
expect 3 claims 1
notice 1>2
flow
expect all alive 2.1 owner 3 stamp 1
expect all claims 0
expect quiet
)"},
    {"S14-hosts", R"(tern-trace 1 explore
title S14: two hosts crash, one after the other, before anybody has heard of the second
scope peers 5
create 1
flow
claim 5 1.1
flow 5>1
crash 1
notice 1>2
deliver 2>3             # QUERY
deliver 2>4
crash 2
notice 1>3
notice 1>4
notice 1>5
notice 2>4
notice 2>3
notice 2>5
flow
expect all alive 1.1 owner 5 stamp 2         # 1 is the adoption.
expect all claims 0
expect quiet
)"},
    {"S14-terms", R"(tern-trace 1 explore
title S14: a third host that has not heard of the second one's term asks for it
scope peers 5 survivors 1
crash 1
notice 1>2
notice 1>3
notice 1>4
notice 1>5
deliver 2>3             # QUERY
deliver 2>4
deliver 2>5
flow 3>2
flow 4>2
flow 5>2                # The reports: 2 is in charge, and only 5 hears of it.
flow 2>5
crash 2
notice 2>3
notice 2>4
notice 2>5
deliver 3>4             # QUERY
deliver 3>5
flow 4>3
flow 5>3                # Of term 2. So 3 has term 3, and only 5 hears of it.
flow 3>5
crash 3
notice 3>4
notice 3>5
flow                    # 4 has only seen term 1.
expect quiet
)"},
    {"S14-slot", R"(tern-trace 1 explore
title S14: the query of a host that has crashed comes after the next one's
scope peers 5
crash 1
notice 1>2
notice 1>3
crash 2
notice 2>3
deliver 3>4             # QUERY of 3, kept
deliver 2>4             # QUERY of 2, kept beside it
deliver 3>5
notice 1>4              # 2 is followed, and answered,
notice 2>4              # ... then 3.
notice 1>5
notice 2>5
flow
expect quiet
)"},
    {"S15", R"(tern-trace 1 explore
title S15: one takes the host for gone, wrongly, and is out itself
scope peers 4
create 3
flow
claim 4 3.1
suspect 1>2
deliver 2>3             # QUERY: 3 and 4 hear of 1, and keep it.
deliver 2>4
notice 2>1
flow
expect 1,3,4 alive 3.1 owner 4 stamp 1
notice 3>2              # 3 and 4 have closed their connections: 2 is one of few.
expect all claims 0
expect quiet
)"},
    {"S15-most", R"(tern-trace 1 explore
title S15: all take a slow host for gone; what it still grants is fenced
scope peers 4
create 3
flow
claim 4 3.1
deliver 4>1             # CLAIM; the GRANT is on its way.
suspect 1>4
suspect 1>2
deliver 1>4             # GRANT, too late.
suspect 1>3
flow
notice 2>1
notice 3>1              # With 4 alone 1 is not the majority.
flow
expect 2,3,4 alive 3.1 owner 4 stamp 1       # Of the next host.
expect all claims 0
expect quiet
)"},
    {"S16", R"(tern-trace 1 explore
title S16: three and two are parted; the two end, and come back as newcomers
scope peers 5 joins 1
create 4
create 1
flow
suspect 4>1
suspect 5>1
notice 1>4
suspect 2>4
suspect 3>4             # With 5 alone 4 is not the majority, and ends.
notice 1>5
suspect 2>5
suspect 3>5
notice 4>5
flow
expect 1,2,3 alive 4.1 owner 1 stamp 1
join 6>1
flow
expect all alive 1.1 owner 1 stamp 0
expect all alive 4.1 owner 1 stamp 1
expect quiet
)"},
    {"S17", R"(tern-trace 1 explore
title S17: the host is cut off from all but one, that sees both sides
scope peers 5
create 1
create 3
flow
suspect 1>2
suspect 1>4
suspect 1>5
deliver 2>3             # QUERY; 3 hears of 1, and keeps it.
flow 2>4
flow 2>5
notice 2>1
notice 4>1
notice 5>1              # Only 3 is left to 1: few, so it ends.
notice 1>3
flow
expect all alive 1.1 owner 2 stamp 1
expect all alive 3.1 owner 3 stamp 0
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
};

std::span<const Scenario> orders()
{
    static const std::vector<Scenario> all = [] {
        std::vector<Scenario> joined(std::begin(own), std::end(own));
        const std::span<const Scenario> others = orders_of_others();
        joined.insert(joined.end(), others.begin(), others.end());
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
