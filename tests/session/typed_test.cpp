// Objects and calls whose types the compiler knows.
#include "tern/calls.hpp"
#include "tern/handlers.hpp"
#include "tern/prediction.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

namespace tern {
namespace {

using test::SimWorld;

struct Rock {
    float size;
};
TERN_FIELDS(Rock, size);
struct Crane {
    Object<Rock> load;
    int32_t strength;
};
TERN_FIELDS(Crane, load, field(strength, range(0, 100)));
struct Shout {
    char text[16];
};
TERN_FIELDS(Shout, text);
struct Stranger {
    int32_t number;
};
TERN_FIELDS(Stranger, number);

const Type typed[] = {make_type<Rock>("rock", {.objects_max = 8}),
                      make_type<Crane>("crane", {.objects_max = 8}), make_type<Shout>("shout")};

struct Typed : testing::Test {
    SimWorld world{7};
    Session *ada = nullptr, *ben = nullptr;
    std::string misuse;

    static void note(void *user, const Misuse &misuse)
    {
        static_cast<Typed *>(user)->misuse =
            std::string(misuse.function) + ": " + misuse.wrong + ' ' + misuse.remedy;
    }

    void SetUp() override
    {
        world.config.types = typed;
        world.config.misuse = {note, this};
        ASSERT_TRUE(world.open(2));
        ada = world.nodes[0].session;
        ben = world.nodes[1].session;
    }
};

TEST_F(Typed, ObjectsHaveTheTypeOfTheirStruct)
{
    const Object<Rock> rock = create(ada, Rock{3});
    const Object<Crane> crane = create(ada, Crane{rock, 50});
    ASSERT_TRUE(rock && crane);
    EXPECT_EQ(object_type(ada, rock), 0u);
    EXPECT_EQ(object_type(ada, crane), 1u);
    EXPECT_TRUE(set(ada, rock, Rock{4}));
    world.steps(20);
    EXPECT_EQ(get(ben, rock).size, 4);
    EXPECT_EQ(get(ben, crane).load, rock);
    EXPECT_EQ(find_object<Rock>(ben, rock.id), rock);
    EXPECT_FALSE(find_object<Crane>(ben, rock.id));
    EXPECT_FALSE(find_object<Rock>(ben, ObjectId::none));
    EXPECT_FALSE(find_object<Stranger>(ben, rock.id));
    ASSERT_EQ(object_ids<Crane>(ben).size(), 1u);
    EXPECT_EQ(object_ids<Crane>(ben)[0], crane);
    EXPECT_EQ(object_values<Crane>(ben)[0].strength, 50);
    Rock shown = {};
    EXPECT_TRUE(sample(ben, rock, world.now_us, shown));
    EXPECT_EQ(shown.size, 4);
    EXPECT_EQ(misuse, "");
}

TEST_F(Typed, CallsHaveTheTypeOfTheirStruct)
{
    const Object<Rock> rock = create(ada, Rock{3});
    world.steps(20);
    EXPECT_TRUE(call(ben, local_peer(ada), Shout{"here"}));
    EXPECT_NE(call_owner(ben, rock, Shout{"owner"}), CallId::none);
    EXPECT_NE(request(ben, PeerId::host, Shout{"host"}), CallId::none);
    EXPECT_NE(request_owner(ben, rock, Shout{"asked"}), CallId::none);
    std::string heard, answers;
    for (int i = 0; i < 30; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            for (const Event &event : events) {
                EXPECT_EQ(find_arguments<Rock>(world.nodes[node].session, event), nullptr);
                const auto *shout = find_arguments<Shout>(world.nodes[node].session, event);
                if (!shout) continue;
                (node == 0 ? heard : answers) += shout->text + std::string(" ");
                if (event.kind != EventKind::call || event.call.id == CallId::none) continue;
                EXPECT_TRUE(reply(ada, event.call, Shout{"yes"}));
            }
        });
    EXPECT_EQ(heard, "here owner host asked ");
    EXPECT_EQ(answers, "yes yes ");
    EXPECT_EQ(misuse, "");
}

TEST_F(Typed, AStructOfNoTypeIsReported)
{
    EXPECT_FALSE(create(ada, Stranger{1}));
    EXPECT_EQ(misuse, "create: No type of the session has this struct. Add the type of the struct "
                      "to the types of the config.");
}

}
}
