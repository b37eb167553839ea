// error: a_step_must_be_above_0_and_fit_the_range
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    char name[16];
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)), health);
#else
TERN_FIELDS(Ship, field(position, range(0, 1), step(2)));
#endif
