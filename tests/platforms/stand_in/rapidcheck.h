// Stands in for rapidcheck where that library cannot be had (TERN_RAPIDCHECK=OFF): as much of it as
// tern's tests use. It draws values for a hundred runs, and does not make a failure smaller.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace rc {

inline std::mt19937_64 draws; // All values of a run come from its seed.

template <class T> struct Gen {
    std::function<T()> draw;
    T operator*() const { return draw(); }
};

struct Failed {
    std::string text;
};
struct Discarded {};

namespace gen {

template <class T> Gen<T> inRange(T min, T end)
{
    return {[min, end] {
        const auto count = static_cast<uint64_t>(end) - static_cast<uint64_t>(min);
        return static_cast<T>(static_cast<uint64_t>(min) + draws() % count);
    }};
}

template <class T> Gen<T> just(T value)
{
    return {[value] { return value; }};
}

template <class T> struct Arbitrary {
    // Half of the numbers are small ones or those at the ends, where mistakes are.
    static T draw()
    {
        if constexpr (std::is_same_v<T, bool>) return draws() % 2 == 0;
        const uint64_t chosen = draws() % 8;
        if (chosen == 0) return std::numeric_limits<T>::max();
        if (chosen < 4) return static_cast<T>(draws() % 8);
        return static_cast<T>(draws());
    }
};

template <class T> Gen<T> arbitrary()
{
    return {[] { return Arbitrary<T>::draw(); }};
}

template <class First, class Second> struct Arbitrary<std::pair<First, Second>> {
    static std::pair<First, Second> draw()
    {
        First first = Arbitrary<First>::draw();
        return {std::move(first), Arbitrary<Second>::draw()};
    }
};

template <class Container, class T> Gen<Container> container(Gen<T> element)
{
    return {[element] {
        Container all;
        for (size_t left = draws() % 100; left > 0; --left)
            all.push_back(*element);
        return all;
    }};
}

template <class T> struct Arbitrary<std::vector<T>> {
    static std::vector<T> draw() { return *container<std::vector<T>>(arbitrary<T>()); }
};

template <class First, class Second>
Gen<std::pair<First, Second>> pair(Gen<First> first, Gen<Second> second)
{
    return {[first, second] {
        First drawn = *first;
        return std::pair<First, Second>(std::move(drawn), *second);
    }};
}

template <class T> Gen<T> elementOf(const std::vector<T> &values)
{
    return {[values] { return values[draws() % values.size()]; }};
}

inline Gen<char> elementOf(const std::string &values)
{
    return elementOf(std::vector<char>(values.begin(), values.end()));
}

template <class T, class... More> Gen<T> element(T first, More... more)
{
    return elementOf(std::vector<T>{first, static_cast<T>(more)...});
}

template <class T> Gen<T> weightedOneOf(std::vector<std::pair<size_t, Gen<T>>> weighted)
{
    return {[weighted] {
        size_t all = 0;
        for (const auto &one : weighted)
            all += one.first;
        size_t chosen = draws() % all, i = 0;
        for (; chosen >= weighted[i].first; ++i)
            chosen -= weighted[i].first;
        return *weighted[i].second;
    }};
}

template <class T, class Condition> Gen<T> suchThat(Condition condition)
{
    return {[condition] {
        T drawn = Arbitrary<T>::draw();
        while (!condition(drawn))
            drawn = Arbitrary<T>::draw();
        return drawn;
    }};
}

}

template <class... Arguments, class Property>
void run(const Property &property, void (Property::*)(Arguments...) const)
{
    // The order of drawing is that of the braces.
    std::tuple<std::decay_t<Arguments>...> drawn{
        gen::Arbitrary<std::decay_t<Arguments>>::draw()...};
    std::apply(property, drawn);
}

template <class Property> bool check(const char *name, const Property &property)
{
    constexpr uint64_t runs = 100, runs_max = 10 * runs;
    uint64_t done = 0;
    for (uint64_t seed = 1; done < runs && seed <= runs_max; ++seed) {
        draws.seed(seed);
        try {
            run(property, &Property::operator());
            done += 1;
        } catch (const Discarded &) {
        } catch (const Failed &failed) {
            std::printf("%s: run %llu: %s\n", name, static_cast<unsigned long long>(seed),
                        failed.text.c_str());
            return false;
        }
    }
    return done == runs;
}

template <class Property> bool check(const Property &property)
{
    return check("property", property);
}

template <class... Arguments> bool check_function(const char *name, void (*property)(Arguments...))
{
    return check(name, [property](Arguments... arguments) { property(arguments...); });
}

}

#define RC_ASSERT(condition)                                                                       \
    do {                                                                                           \
        if (!(condition)) throw rc::Failed{#condition};                                            \
    } while (false)
#define RC_PRE(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) throw rc::Discarded{};                                                   \
    } while (false)
