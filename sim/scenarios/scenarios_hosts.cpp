// Orders of messages in which hosts crash, are taken for gone, or are cut off.
#include "sim/scenarios/scenarios.h"

namespace tern::scenarios {

static constexpr Scenario all[] = {
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
    {"S15-three", R"(tern-trace 1 explore
title S15: one takes the host for gone, wrongly, and is counted out itself
scope peers 3
create 1
flow
suspect 1>2
deliver 2>3             # QUERY: 3 hears of 1, and keeps it.
notice 2>1              # 2 has closed its connection: the host asks who is left.
flow
notice 3>2
expect 1,3 alive 1.1 owner 1 stamp 0
expect quiet
)"},
    {"S14-half", R"(tern-trace 1 explore
title S14: a host dies while it counts out another, and some have heard of it
scope peers 5
create 3
flow
suspect 3>1
deliver 1>4             # QUERY: 4 fences 3. 2 and 5 hear nothing of it.
crash 1
notice 1>2
notice 1>3
notice 1>4
notice 1>5
flow
notice 2>3              # It is alone, and ends.
notice 4>3
flow
expect 2,4,5 alive 3.1 owner 2 stamp 1
expect quiet
)"},
    {"S14-listed", R"(tern-trace 1 explore
title S14: while the host counts out a member, a newcomer comes; then the host dies
scope peers 5 joins 1
create 3
deliver 3>4             # CREATE: only 4 hears of it.
crash 3
notice 3>1
deliver 1>2             # QUERY: 2 fences 3. 4 and 5 hear nothing of it.
join 6>1
deliver 1>2             # VIEW: with the newcomer, and still with 3.
deliver 1>6             # WELCOME
crash 1
notice 1>2
notice 1>4
notice 1>5
notice 1>6
flow
notice 6>2              # It starts over.
flow
expect 2,4,5 alive 3.1 owner 2 stamp 1
expect quiet
)"},
    {"S16-three", R"(tern-trace 1 explore
title S16: the host is cut off, and the others go on
scope peers 3
create 1
flow
suspect 1>2
suspect 1>3
deliver 2>3             # QUERY
flow 3>2
flow 2>3
notice 2>1
notice 3>1              # Alone, and one of three: it ends.
flow
expect 2,3 alive 1.1 owner 2 stamp 1
expect quiet
)"},
    {"S16", R"(tern-trace 1 explore
title S16: three and two are parted, and the two come back as newcomers
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
};

std::span<const Scenario> orders_of_hosts()
{
    return all;
}

}
