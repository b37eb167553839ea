// error: tern: a pointer is no field: use ObjectId for an object
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    Ship *next;
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)), health);
#else
TERN_FIELDS(Ship, position, next);
#endif
