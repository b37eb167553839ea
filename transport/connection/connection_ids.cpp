#include "transport/connection/connection_ids.h"
#include "base/assert.h"

namespace tern::connection_ids {

static IdPlace &taken_place(ConnectionIds &ids, uint32_t id)
{
    IdPlace &place = ids._places[id % id_places];
    TERN_ASSERT(id != 0 && place.id == id, "id %u is not taken", id);
    return place;
}

uint32_t take(ConnectionIds &ids, EntropySource &entropy, IdOwner owner, uint16_t index)
{
    TERN_ASSERT(ids._count < id_places, "all of %u ids", ids._count);
    uint32_t place = entropy::number(entropy) % id_places;
    while (ids._places[place].id != 0)
        place = (place + 1) % id_places;
    uint32_t upper = 0;
    while (upper == 0)
        upper = entropy::number(entropy) >> id_place_bits;
    ids._places[place] = {upper << id_place_bits | place, owner, index};
    ids._count += 1;
    return ids._places[place].id;
}

void give_back(ConnectionIds &ids, uint32_t id)
{
    taken_place(ids, id) = {};
    ids._count -= 1;
}

void pass_on(ConnectionIds &ids, uint32_t id, IdOwner owner, uint16_t index)
{
    taken_place(ids, id) = {id, owner, index};
}

}
