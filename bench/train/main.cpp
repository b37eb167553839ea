// tern-train: makes replication/snapshot/coder_tables.cpp from recorded scenes and generated ones.
//
//   tern-train OUT.cpp SCENE...     a scene is a file (see cubes_scene::load), or seed:N:FRAMES
#include "bench/train/least_squares.h"
#include "bench/train/samples.h"
#include "replication/snapshot/state_coding.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>

namespace bench::train {

using namespace tern;

// --- Ages of baselines and older states ---

std::vector<Ages> all_ages()
{
    static constexpr uint32_t bases[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 18, 24};
    static constexpr Ages older[] = {{0, {1, 2, 4}, 3},   {0, {1, 2, 3}, 3}, {0, {2, 4, 8}, 3},
                                     {0, {2, 4, 6}, 3},   {0, {1, 3, 6}, 3}, {0, {3, 6, 12}, 3},
                                     {0, {5, 10, 20}, 3}, {0, {1, 2, 0}, 2}, {0, {2, 0, 0}, 1},
                                     {0, {1, 0, 0}, 1},   {0, {4, 0, 0}, 1}, {0, {6, 0, 0}, 1},
                                     {0, {}, 0}};
    std::vector<Ages> all;
    for (uint32_t base : bases)
        for (Ages ages : older) {
            ages.base = base;
            all.push_back(ages);
        }
    return all;
}

tern::Horizon horizon(const Ages &ages, const WeightTable &table)
{
    uint32_t at[history_max] = {ages.base};
    for (uint32_t i = 0; i < ages.older_count; ++i)
        at[1 + i] = ages.base + ages.older[i];
    return motion::horizon(std::span<const uint32_t>(at, 1 + ages.older_count), table);
}

// --- The tables ---

struct Tables {
    WeightTable weights;
    int16_t surprise[2];
    CoderProbabilities probabilities;
};

struct Cell { // The sums for one class of ages.
    LeastSquares<history_max - 1> predict[2];
    LeastSquares<energy_features> energy[2][2];
};

struct Cells {
    Cell at[gap_classes][age_classes];
};

// The cell that belongs to the weights of a horizon.
Cell &cell_of(Cells &cells, const Horizon &h, const WeightTable &table)
{
    const auto index = static_cast<size_t>(h.weights - &table[0][0][0]) / 2;
    return cells.at[index / age_classes][index % age_classes];
}

struct Data {
    std::vector<CubesScene> scenes;
    StateLayout layout;
    size_t stride;
};

template <class Visit> void each(const Data &data, const Tables &tables, Visit visit)
{
    size_t turn = 0;
    for (const CubesScene &scene : data.scenes)
        for (const Ages &ages : all_ages())
            each_sample(scene, ages, tables.weights, data.stride + turn++ % 3, visit);
}

int16_t fixed(double value)
{
    return static_cast<int16_t>(std::clamp(std::floor(value + 0.5), -32767.0, 32767.0));
}

// --- Extrapolation, weighted so that errors are small relative to what is expected ---

void add_numbers(Cell &cell, const Sample &s, const LayoutField &f)
{
    const uint32_t *at[history_max] = {};
    state_coding::places(s.history, f.first, at);
    for (uint32_t i = 0; i < f.count; ++i) {
        const motion::NumberMoves m = motion::number_moves(s.history.horizon, at, i);
        double x[history_max - 1];
        for (size_t k = 0; k < std::size(x); ++k)
            x[k] = static_cast<double>(m.at[k]) / 256;
        const double target = double{static_cast<double>(s.now[f.first + i])} - at[0][i];
        const double spread = 1 + 0.15 * std::fabs(x[0]) + 0.4 * std::fabs(x[0] - x[1]) +
                              0.4 * std::fabs(x[1] - x[2]);
        add(cell.predict[0], x, target, 1 / (spread * spread));
    }
}

void add_rotation(Cell &cell, const Sample &s, const LayoutField &f)
{
    const uint32_t *at[history_max] = {};
    state_coding::places(s.history, f.first, at);
    const motion::RotationMoves m = motion::rotation_moves(s.history.horizon, f, at);
    const motion::Point now = motion::point(f, s.now + f.first);
    const motion::Point target = motion::tangent(m.base, now);
    const double per_unit = static_cast<double>(f.per_one) / 256 / 0x1p30;
    double spread = 1;
    for (size_t i = 0; i < 4; ++i) {
        const auto at_i = [&](size_t k) { return static_cast<double>(m.at[k].at[i]) * per_unit; };
        spread += 0.1 * std::fabs(at_i(0)) + 0.2 * std::fabs(at_i(0) - at_i(1)) +
                  0.2 * std::fabs(at_i(1) - at_i(2));
    }
    for (size_t i = 0; i < 4; ++i) {
        double x[history_max - 1];
        for (size_t k = 0; k < std::size(x); ++k)
            x[k] = static_cast<double>(m.at[k].at[i]) * per_unit;
        add(cell.predict[1], x, -static_cast<double>(target.at[i]) * per_unit,
            1 / (spread * spread));
    }
}

void train_predictions(const Data &data, Tables &tables)
{
    auto cells = std::make_unique<Cells>();
    each(data, tables, [&](const Sample &s) {
        Cell &cell = cell_of(*cells, s.history.horizon, tables.weights);
        for (uint32_t i = 0; i < data.layout.field_count; ++i) {
            const LayoutField &f = data.layout.fields[i];
            if (f.shape == Shape::number) add_numbers(cell, s, f);
            if (f.shape == Shape::rotation) add_rotation(cell, s, f);
        }
    });
    for (size_t gap = 1; gap < gap_classes; ++gap)
        for (size_t age = 0; age < age_classes; ++age)
            for (size_t kind = 0; kind < 2; ++kind) {
                const auto found = solution(cells->at[gap][age].predict[kind]);
                for (size_t k = 0; k < found.size(); ++k)
                    tables.weights[gap][age][kind].predict[k] = fixed(found[k] * 256);
            }
}

// --- The expected size of errors ---

void add_error(Cell &cell, const MotionWeights &now, unsigned kind,
               const motion::Features &features, uint64_t before, uint32_t count, double error)
{
    const bool first = count == 0;
    double x[energy_features] = {1};
    for (size_t i = 0; i < std::size(features); ++i)
        x[1 + i] = features[i] / 256.0;
    x[energy_features - 1] = first ? 0 : static_cast<double>(before) / count;
    const double expected =
        motion::energy(now, features, static_cast<uint32_t>(before), count) / 16.0;
    const double spread = std::max(expected, 0.25);
    add(cell.energy[kind][first ? 0 : 1], x, error, 1 / (spread * spread));
}

void add_number_errors(Cell &cell, const Sample &s, const LayoutField &f)
{
    const uint32_t *at[history_max] = {};
    state_coding::places(s.history, f.first, at);
    const NumberMotion m = motion::numbers(s.history.horizon, at, f.count);
    uint64_t before = 0;
    for (uint32_t i = 0; i < f.count; ++i) {
        motion::Features features;
        motion::features(m, i, features);
        const int64_t error = int64_t{s.now[f.first + i]} - ((m.expected[i] + 128) >> 8);
        add_error(cell, s.history.horizon.weights[0], 0, features, before, i,
                  std::fabs(static_cast<double>(error)));
        before += static_cast<uint64_t>(error < 0 ? -error : error);
    }
}

void add_rotation_errors(Cell &cell, const Sample &s, const LayoutField &f)
{
    const uint32_t *at[history_max] = {};
    state_coding::places(s.history, f.first, at);
    const RotationMotion m = motion::rotation(s.history.horizon, f, at);
    motion::Features features;
    motion::features(m, features);
    const uint32_t *words = s.now + f.first;
    const int64_t sign = m.expected[words[0]] < 0 ? -1 : 1;
    uint64_t before = 0;
    for (uint32_t i = 0, part = 0; i < 4; ++i) {
        if (i == words[0]) continue;
        const int64_t half_steps = (sign * m.expected[i] * f.per_one) >> 30;
        const int64_t expected = (half_steps + int64_t{f.max} * 256) / 2;
        const int64_t error = int64_t{words[1 + part]} - ((expected + 128) >> 8);
        add_error(cell, s.history.horizon.weights[1], 1, features, before, part,
                  std::fabs(static_cast<double>(error)));
        before += static_cast<uint64_t>(error < 0 ? -error : error);
        part += 1;
    }
}

void train_energies(const Data &data, Tables &tables)
{
    auto cells = std::make_unique<Cells>();
    each(data, tables, [&](const Sample &s) {
        Cell &cell = cell_of(*cells, s.history.horizon, tables.weights);
        for (uint32_t i = 0; i < data.layout.field_count; ++i) {
            const LayoutField &f = data.layout.fields[i];
            if (f.shape == Shape::number) add_number_errors(cell, s, f);
            if (f.shape == Shape::rotation) add_rotation_errors(cell, s, f);
        }
    });
    for (size_t gap = 0; gap < gap_classes; ++gap)
        for (size_t age = 0; age < age_classes; ++age)
            for (size_t kind = 0; kind < 2; ++kind)
                for (size_t rest = 0; rest < 2; ++rest) {
                    const auto found = solution(cells->at[gap][age].energy[kind][rest]);
                    for (size_t k = 0; k < found.size(); ++k)
                        tables.weights[gap][age][kind].energy[rest][k] =
                            fixed(std::max(found[k], k == 0 ? 0.1 : -0.1) * 256);
                }
}

// --- Probabilities, counted with the coder's own rules ---

inline constexpr size_t probability_count = sizeof(CoderProbabilities) / sizeof(Probability);

struct Counter {
    const Probability *first;
    std::vector<double> counts; // [probability]: how often false, how often true.
    double bits;
};

bool code(Counter &c, bool decision, const Probability &probability)
{
    c.counts[static_cast<size_t>(&probability - c.first) * 2 + (decision ? 1 : 0)] += 1;
    const double is_false = static_cast<double>(probability) / probability_one;
    c.bits -= std::log2(decision ? 1 - is_false : is_false);
    return decision;
}

uint32_t code_symbol(Counter &c, uint32_t symbol, const range_coder::Starts &starts)
{
    c.counts[static_cast<size_t>(&starts[symbol] - c.first) * 2] += 1;
    const auto size =
        static_cast<double>(range_coder::end_of(starts, symbol) - uint32_t{starts[symbol]});
    c.bits -= std::log2(size / probability_one);
    return symbol;
}

uint32_t code_bits(Counter &c, uint32_t value, unsigned bit_count)
{
    c.bits += bit_count;
    return value;
}

Counter counter(const Tables &tables)
{
    return {reinterpret_cast<const Probability *>(&tables.probabilities),
            std::vector<double>(probability_count * 2, 0.4), 0};
}

void count_object(Counter &c, const Data &data, const Tables &tables, const Sample &s)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < data.layout.field_count; ++i) {
        const LayoutField &f = data.layout.fields[i];
        if (!std::equal(s.now + f.first, s.now + f.first + f.count, s.history.at[0] + f.first))
            mask |= uint64_t{1} << i;
    }
    uint32_t words[cube_words];
    std::copy(s.now, s.now + cube_words, words);
    state_coding::Progress p = {&s.history, &tables.probabilities, tables.surprise, 0, 0, false, 0};
    state_coding::code_object(c, p, data.layout, mask, words);
}

void count_presence(Counter &c, const Data &data, const Tables &tables)
{
    for (const CubesScene &scene : data.scenes)
        for (const Ages &ages : all_ages()) {
            History history = {horizon(ages, tables.weights), {}};
            for (size_t frame = 48; frame < scene.frame_count; frame += 40 + ages.base) {
                unsigned before = 0;
                for (size_t object = 0; object < scene.object_count; ++object) {
                    const uint32_t *now = cubes_scene::at(scene, frame, object);
                    history.at[0] = cubes_scene::at(scene, frame - ages.base, object);
                    for (uint32_t i = 0; i < ages.older_count; ++i)
                        history.at[1 + i] =
                            cubes_scene::at(scene, frame - ages.base - ages.older[i], object);
                    const bool there = !std::equal(now, now + cube_words, history.at[0]);
                    code(c, there,
                         state_coding::presence_probability(tables.probabilities, data.layout,
                                                            history, before));
                    before = (before << 1 | (there ? 1 : 0)) & 3;
                }
            }
        }
}

// Every symbol gets 2, and the rest is shared in proportion to the counts.
void set_starts(const double *counts, range_coder::Starts &starts)
{
    static constexpr double least = 2, rest = probability_one - least * range_coder::symbols_count;
    double sum = 0, before = 0;
    for (uint32_t i = 0; i < range_coder::symbols_count; ++i)
        sum += counts[2 * i];
    for (uint32_t i = 0; i < range_coder::symbols_count; ++i) {
        starts[i] = static_cast<Probability>(least * i + std::floor(rest * before / sum));
        before += counts[2 * i];
    }
}

void set_probabilities(const Counter &c, Tables &tables)
{
    auto *probabilities = reinterpret_cast<Probability *>(&tables.probabilities);
    for (size_t i = 0; i < probability_count; ++i) {
        const double share = c.counts[2 * i] / (c.counts[2 * i] + c.counts[2 * i + 1]);
        probabilities[i] = static_cast<Probability>(
            std::clamp(share * probability_one, 24.0, probability_one - 24.0));
    }
    for (ElementProbabilities &element : tables.probabilities.element)
        for (range_coder::Starts &starts : element.bucket)
            set_starts(&c.counts[static_cast<size_t>(&starts[0] - probabilities) * 2], starts);
}

double train_probabilities(const Data &data, Tables &tables)
{
    Counter c = counter(tables);
    each(data, tables, [&](const Sample &s) { count_object(c, data, tables, s); });
    const double bits = c.bits;
    count_presence(c, data, tables);
    set_probabilities(c, tables);
    return bits;
}

// --- Output ---

// Prints numbers and nested arrays in lines of limited length.
struct Printer {
    FILE *out;
    size_t column;
};

void print(Printer &p, const char *text)
{
    const size_t length = std::strlen(text);
    if (p.column + length > 98) {
        std::fprintf(p.out, "\n    ");
        p.column = 4;
    }
    std::fprintf(p.out, "%s", text);
    p.column += length;
}

template <class Number>
requires std::is_integral_v<Number>
void print(Printer &p, Number number)
{
    char text[24];
    std::snprintf(text, sizeof text, "%lld,", static_cast<long long>(number));
    print(p, text);
}

void print(Printer &p, const MotionWeights &w);
void print(Printer &p, const ElementProbabilities &e);

template <class Element, size_t count> void print(Printer &p, const Element (&array)[count])
{
    print(p, "{");
    for (const Element &element : array)
        print(p, element);
    print(p, "},");
}

void print(Printer &p, const MotionWeights &w)
{
    print(p, "{");
    print(p, w.predict);
    print(p, w.energy);
    print(p, "},");
}

void print(Printer &p, const ElementProbabilities &e)
{
    print(p, "{");
    print(p, e.bucket);
    print(p, e.low_bit);
    print(p, e.sign);
    print(p, "},");
}

void print_all(FILE *out, const Tables &tables)
{
    Printer p = {out, 4};
    std::fprintf(out, "const WeightTable trained_weights = {\n    ");
    for (const auto &gap : tables.weights)
        print(p, gap);
    std::fprintf(out, "\n};\n\nconst CoderProbabilities trained_probabilities = {\n    ");
    p.column = 4;
    const CoderProbabilities &c = tables.probabilities;
    print(p, c.element);
    print(p, c.changed);
    print(p, c.flag);
    print(p, c.raw_word);
    print(p, c.other_omitted);
    print(p, c.second_omitted);
    print(p, c.present);
    std::fprintf(out, "\n};\n\n");
}

bool print(const char *path, const Tables &tables)
{
    FILE *out = std::fopen(path, "w");
    if (out == nullptr) return false;
    std::fprintf(out, "// Made by tern-train: see bench/train/main.cpp and docs/decisions.md.\n"
                      "#include \"replication/snapshot/coder_tables.h\"\n\nnamespace tern {\n\n"
                      "// clang-format off\n");
    print_all(out, tables);
    std::fprintf(out, "const int16_t trained_surprise[2] = {%d, %d};\n// clang-format on\n\n}\n",
                 tables.surprise[0], tables.surprise[1]);
    return std::fclose(out) == 0;
}

double cost(const Data &data, const Tables &tables)
{
    Counter c = counter(tables);
    size_t samples = 0;
    each(data, tables, [&](const Sample &s) {
        count_object(c, data, tables, s);
        samples += 1;
    });
    return c.bits / static_cast<double>(samples);
}

void train(const Data &data, Tables &tables)
{
    for (auto &gap : tables.weights)
        for (auto &age : gap)
            for (MotionWeights &w : age)
                w = {{}, {{256, 40, 100, 50, 10, 20, 10, 0}, {256, 40, 100, 50, 10, 20, 10, 60}}};
    std::fill_n(reinterpret_cast<Probability *>(&tables.probabilities), probability_count,
                static_cast<Probability>(probability_one / 2));
    set_probabilities(counter(tables), tables);
    train_predictions(data, tables);
    for (int i = 0; i < 3; ++i)
        train_energies(data, tables);
    int16_t best = 0;
    double least = 1e30;
    static constexpr int16_t weights[] = {0, 64, 128, 192};
    for (int16_t weight : weights) {
        tables.surprise[0] = tables.surprise[1] = weight;
        train_probabilities(data, tables);
        const double bits = cost(data, tables);
        std::printf("surprise %d: %.3f bits an object\n", weight, bits);
        if (bits < least) best = weight;
        least = std::min(least, bits);
    }
    tables.surprise[0] = tables.surprise[1] = best;
    train_probabilities(data, tables);
}

}

int main(int argc, char **argv)
{
    using namespace bench::train;
    if (argc < 3) {
        std::fprintf(stderr, "tern-train OUT.cpp SCENE...   SCENE: a file, or seed:N:FRAMES\n");
        return 2;
    }
    Data data = {{}, bench::cubes_scene::layout(), 97};
    for (int i = 2; i < argc; ++i) {
        const std::string name = argv[i];
        const size_t colon = name.rfind(':');
        data.scenes.push_back(
            name.starts_with("seed:")
                ? bench::cubes_scene::make(std::strtoull(&name[5], nullptr, 10),
                                           std::strtoull(&name[colon + 1], nullptr, 10))
                : bench::cubes_scene::load(name));
        if (data.scenes.back().frame_count > 0) continue;
        std::fprintf(stderr, "cannot read %s\n", argv[i]);
        return 1;
    }
    const auto tables = std::make_unique<Tables>();
    train(data, *tables);
    return print(argv[1], *tables) ? 0 : 1;
}
