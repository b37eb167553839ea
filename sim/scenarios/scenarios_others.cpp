// Orders of messages that reproduce bugs of other systems: docs/others_bugs.md.
#include "sim/scenarios/scenarios.h"

namespace tern::scenarios {

static constexpr Scenario all[] = {
    {"B1", R"(tern-trace 1 explore
title B1: the creator goes, then the owner: what dies with its owner does so then
scope peers 4 mortal 1
create 2
flow
claim 3 2.1
flow
crash 2                 # Its creator.
notice 2>1
flow
expect all alive 2.1 owner 3 stamp 1
crash 3                 # Its owner.
notice 3>1
flow
expect all dead 2.1
expect quiet
)"},
    {"B2", R"(tern-trace 1 explore
title B2: a member speaks for what is another's
scope peers 3
create 2
flow
forge_migrate 3>1 2.1
forge_destroy 3>1 2.1
forge_migrate 3>2 2.1
forge_destroy 3>2 2.1
flow
expect 1,2 alive 2.1 owner 2 stamp 0
)"},
    {"B3", R"(tern-trace 1 explore
title B3: of two UPDATEs the older comes last, and none is lost
scope peers 3
create 2
flow
set 2 2.1
set 2 2.1
update 2>3 2
expect 3 alive 2.1 write 2
update 2>3 1
expect 3 alive 2.1 write 2
flow
expect all alive 2.1 owner 2 stamp 0 write 2
expect quiet
)"},
    {"B5", R"(tern-trace 1 explore
title B5: the owner goes while the grant to the next is on its way
scope peers 3
create 2
create 2
flow
claim 3 2.1
deliver 3>1             # CLAIM; the GRANT is on its way.
crash 2
notice 2>1
flow
expect all alive 2.1 owner 3 stamp 1         # What is granted stays so,
expect all alive 2.2 owner 1 stamp 2         # and what is not is adopted.
expect all claims 0
expect quiet
)"},
    {"B9", R"(tern-trace 1 explore
title B9: the former owner writes on until it hears of the next
scope peers 3
create 2
flow
claim 3 2.1
deliver 3>1             # CLAIM
deliver 1>3             # GRANT: 3 owns it.
set 2 2.1               # 2 has not heard of that; what it writes is lost.
expect 2 alive 2.1 owner 2 stamp 0 write 1
update 2>3 1
expect 3 alive 2.1 owner 3 stamp 1 write 0
flow
expect all alive 2.1 owner 3 stamp 1 write 0
expect all claims 0
expect quiet
)"},
    {"B10", R"(tern-trace 1 explore
title B10: an UPDATE of two objects, of which one has gone to another owner
scope peers 3
create 2
create 2
flow
hold 2>3
set 2 2.1
set 2 2.2
pull 2>3                # One UPDATE of both.
claim 1 2.1
deliver 1>3             # MIGRATE
update 2>3 1
expect 3 alive 2.1 owner 1 stamp 1 write 0   # What is of the past is ignored,
expect 3 alive 2.2 owner 2 stamp 0 write 1   # and the rest is not.
flow
expect all alive 2.2 owner 2 stamp 0 write 1
expect quiet
)"},
    {"B11", R"(tern-trace 1 explore
title B11: an owner changes its object and gives it away at once
scope peers 3
create 1
flow
claim 3 1.1
set 1 1.1
deliver 3>1             # CLAIM, granted with what has just been written.
deliver 1>3             # GRANT
expect 3 alive 1.1 owner 3 stamp 1 write 1
flow
expect all alive 1.1 owner 3 stamp 1 write 1
expect quiet
)"},
    {"B18", R"(tern-trace 1 explore
title B18: the next host has not heard of an object, and somebody joins
scope peers 4 joins 1
create 3                # Said to all, and heard by nobody yet.
crash 1
notice 1>2
notice 1>3
notice 1>4
expect 2 unknown 3.1
flow
join 5>2
flow
expect all alive 3.1 owner 3 stamp 0
expect quiet
)"},
    {"B20", R"(tern-trace 1 explore
title B20: created and destroyed before anything was said of it
scope peers 3
hold 2>3
hold 2>1
create 2
destroy 2 2.1
pull 2>3
pull 2>1
deliver 2>3             # DESTROY of what it has never heard of.
expect 3 dead 2.1
flow
expect all dead 2.1
expect quiet
)"},
    {"B25", R"(tern-trace 1 explore
title B25: what was made in the first tick reaches those who come later
scope peers 1 joins 2
create 1
join 2>1
flow
join 3>1
flow
expect all alive 1.1 owner 1 stamp 0
expect quiet
)"},
    {"B27", R"(tern-trace 1 explore
title B27: after a change of host all is there, and a newcomer hears who owns what
scope peers 4 joins 1
create 1
create 3
flow
claim 4 3.1
flow
crash 1
notice 1>2
notice 1>3
notice 1>4
flow
join 5>2
flow
expect all alive 1.1 owner 2
expect all alive 3.1 owner 4 stamp 1
expect quiet
)"},
};

std::span<const Scenario> orders_of_others()
{
    return all;
}

}
