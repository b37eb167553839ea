// Makes the compiler say what is wrong where an ObjectId stands in place of an Object<>, or a value
// has another struct than the object.
#pragma once
#include "tern/types.hpp"
#include <concepts>

namespace tern {

namespace untyped_ids {
struct AnyValue { // A value in braces may be one.
    template <class... Members> AnyValue(Members &&...);
};
}

// The session has a type of its own, so that the condition is false only for who calls this.
template <class T = int, class S, std::same_as<ObjectId> Id> T get(S *, Id)
{
    static_assert(!sizeof(S *),
                  "tern: get() takes an Object<>, which find_object() makes of an ObjectId");
    return {};
}

template <class T = untyped_ids::AnyValue, class S, std::same_as<ObjectId> Id>
bool set(S *, Id, const T &)
{
    static_assert(!sizeof(S *),
                  "tern: set() takes an Object<>, which find_object() makes of an ObjectId");
    return false;
}

template <class S, class T, class U>
requires(!std::convertible_to<const U &, const T &>) bool set(S *, Object<T>, const U &)
{
    static_assert(!sizeof(S *), "tern: set() takes the struct of the object's type");
    return false;
}

}
