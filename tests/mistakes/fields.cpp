// One mistake for each number, and what the compiler must say about it; 0 has none. mistakes.sh
// compiles each.
#include <string>
#include <tern/prediction.hpp>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    char name[16];
    char letter;
    enum : uint8_t { small, large } kind;
    double mass;
    Ship *next;
    struct {
        int a;
    } part;
    const float length;
};
struct Named {
    std::string name;
    int32_t number;
};
TERN_FIELDS(Named, number);
struct Rock {
    float size;
};
TERN_FIELDS(Rock, size);
struct Crane {
    tern::Object<Rock> load;
};

#if MISTAKE == 0
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)),
            field(rotation, as_quaternion(), step(0.002)), field(health, range(0, 100)), name);
const tern::Type type = tern::make_type<Ship>("ship", {.objects_max = 64});
TERN_FIELDS(Crane, load);
int range, step; // Names of options may be those of a game, too.
struct Wheel {
    float angle;
};
TERN_FIELDS(Wheel, field(angle, range(0, 6.3), step(0.01)));
static_assert(tern::fields_of<Crane>[0].kind == tern::FieldKind::object);
float use(tern::Session *session, tern::Object<Rock> rock)
{
    tern::set(session, rock, Rock{2});
    tern::set(session, rock, {3});
    tern::claim(session, rock);
    return tern::get(session, rock).size;
}
#elif MISTAKE == 1  // error: the_min_of_a_range_must_be_below_its_max
TERN_FIELDS(Ship, field(position, range(500, -500)));
#elif MISTAKE == 2  // error: a_range_must_fit_the_type_of_the_member
TERN_FIELDS(Ship, field(health, range(0, 1000)));
#elif MISTAKE == 3  // error: the_range_of_an_integer_must_be_whole
TERN_FIELDS(Ship, field(health, range(0.5, 10)));
#elif MISTAKE == 4  // error: only_integers_and_float_have_a_range
TERN_FIELDS(Ship, field(name, range(0, 9)));
#elif MISTAKE == 5  // error: a_step_comes_after_the_range_of_a_float_or_with_a_quaternion
TERN_FIELDS(Ship, field(position, step(0.01), range(-500, 500)));
#elif MISTAKE == 6  // error: a_step_must_be_above_0_and_fit_the_range
TERN_FIELDS(Ship, field(position, range(0, 1), step(2)));
#elif MISTAKE == 7  // error: only_float_and_quaternion_have_a_bound
TERN_FIELDS(Ship, field(health, bound(1)));
#elif MISTAKE == 8  // error: a_bound_must_be_above_0
TERN_FIELDS(Ship, field(position, bound(0)));
#elif MISTAKE == 9  // error: only_float_4_can_be_a_quaternion
TERN_FIELDS(Ship, field(position, as_quaternion()));
#elif MISTAKE == 10 // error: only_uint8_t_arrays_can_be_values
TERN_FIELDS(Ship, field(name, as_values()));
#elif MISTAKE == 11 // error: tern: a double is no field: use float
TERN_FIELDS(Ship, mass);
#elif MISTAKE == 12 // error: tern: a pointer is no field: use Object<> for an object
TERN_FIELDS(Ship, next);
#elif MISTAKE == 13 // error: tern: a struct or class is no field
TERN_FIELDS(Ship, part);
#elif MISTAKE == 14 // error: tern: one char is no field
TERN_FIELDS(Ship, letter);
#elif MISTAKE == 15 // error: helth
TERN_FIELDS(Ship, helth);
#elif MISTAKE == 16 // error: tern: this struct has no TERN_FIELDS in its namespace
const tern::Type type = tern::make_type<Ship>("ship", {.objects_max = 64});
#elif MISTAKE == 17 // error: tern: a game struct is trivially copyable and has a standard layout
const tern::Type type = tern::make_type<Named>("named", {.objects_max = 64});
#elif MISTAKE == 18 // error: deleted
int use(tern::Session *session, tern::Object<Rock> rock)
{
    return tern::get(session, tern::Object<Ship>{rock}).health;
}
#elif MISTAKE == 19 // error: tern: set() takes the struct of the object's type
bool use(tern::Session *session, tern::Object<Rock> rock)
{
    return tern::set(session, rock, Ship{});
}
#elif MISTAKE == 20 // error: deleted
tern::Object<Ship> use(tern::Object<Rock> rock)
{
    return rock;
}
#elif MISTAKE == 21 // error: type_identity_t<Rock>
bool use(tern::Session *session, tern::Object<Rock> rock, Ship &ship)
{
    return tern::sample(session, rock, 0, ship);
}
#elif MISTAKE == 22 // error: a_range_must_fit_the_type_of_the_member
TERN_FIELDS(Ship, field(kind, range(0, 256)));
#elif MISTAKE == 23 // error: a_step_comes_after_the_range_of_a_float_or_with_a_quaternion
TERN_FIELDS(Ship, field(position, step(0.1), range(-1, 1)));
#elif MISTAKE == 24 // error: tern: get() takes an Object<>, which find_object() makes
float use(tern::Session *session, tern::ObjectId any)
{
    return tern::get(session, any).size;
}
#elif MISTAKE == 25 // error: tern: a const member is no field
TERN_FIELDS(Ship, length);
#elif MISTAKE == 26 // error: tern: TERN_FIELDS takes the struct and its members
TERN_FIELDS(Ship);
#elif MISTAKE == 27 // error: tern: a struct or class is no field
struct Other {
    std::string text;
};
TERN_FIELDS(Other, text);
#elif MISTAKE == 28 // error: tern: get() takes an Object<>, which find_object() makes
float use(tern::Session *session, tern::ObjectId any)
{
    return tern::get<Rock>(session, any).size;
}
#elif MISTAKE == 29 // error: tern: set() takes an Object<>, which find_object() makes
void use(tern::Session *session, tern::ObjectId any)
{
    tern::set(session, any, Rock{2});
}
#elif MISTAKE == 30 // error: tern: set() takes an Object<>, which find_object() makes
void use(tern::Session *session, tern::ObjectId any)
{
    tern::set<Rock>(session, any, {2});
}
#elif MISTAKE == 31 // error: tern: set() takes an Object<>, which find_object() makes
void use(tern::Session *session, tern::ObjectId any)
{
    tern::set(session, any, {2});
}
#endif
