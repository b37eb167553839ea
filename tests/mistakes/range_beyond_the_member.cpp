// error: a_range_must_fit_the_type_of_the_member
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    char name[16];
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)), health);
#else
TERN_FIELDS(Ship, position, field(health, range(0, 1000)));
#endif
