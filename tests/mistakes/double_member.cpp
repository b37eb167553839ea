// error: tern: a double is no field: use float
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    double mass;
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)), health);
#else
TERN_FIELDS(Ship, position, mass);
#endif
