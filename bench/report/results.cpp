#include "bench/report/results.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResultColumn, title, decimals, has_ratio)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResultRow, name, rounds, delivered_percent, kept)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResultTable, id, title, columns, rows, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, kernel, cpu, compiler, libsodium, enet, build)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Results, version, commit, date, machine, quick, rounds, tables)
using Json = nlohmann::json;

namespace results {

// --- Looking up ---

const ResultTable *table(const Results &all, const std::string &id)
{
    const auto found = std::find_if(all.tables.begin(), all.tables.end(),
                                    [&id](const ResultTable &t) { return t.id == id; });
    return found == all.tables.end() ? nullptr : &*found;
}

const ResultRow *row(const ResultTable &table, const std::string &name)
{
    const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                    [&name](const ResultRow &r) { return r.name == name; });
    return found == table.rows.end() ? nullptr : &*found;
}

int column(const ResultTable &table, const std::string &title)
{
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].title == title) return static_cast<int>(i);
    return -1;
}

// --- Medians ---

static double median(std::vector<double> values)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

static std::vector<double> values_of(const ResultRow &row, size_t column)
{
    std::vector<double> values;
    for (const std::vector<double> &round : row.rounds)
        values.push_back(round[column]);
    return values;
}

double value(const ResultRow &row, size_t column)
{
    return median(values_of(row, column));
}

double ratio(const ResultRow &row, const ResultRow &baseline, size_t column)
{
    if (row.rounds.size() != baseline.rounds.size())
        return value(row, column) / value(baseline, column);
    std::vector<double> ratios;
    for (size_t round = 0; round < row.rounds.size(); ++round)
        ratios.push_back(row.rounds[round][column] / baseline.rounds[round][column]);
    return median(ratios);
}

double spread_percent(const ResultRow &row)
{
    std::vector<double> values = values_of(row, 0);
    std::sort(values.begin(), values.end());
    const size_t quarter = values.size() / 4;
    const double middle = values[values.size() - 1 - quarter] - values[quarter];
    return 100 * middle / median(values);
}

// --- The table ---

static constexpr int name_columns = 37;

static int width(const ResultColumn &column)
{
    return std::max(static_cast<int>(column.title.size()), 8);
}

static void print_values(const ResultTable &table, const ResultRow &row)
{
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const ResultColumn &column = table.columns[i];
        std::printf(" %*.*f", width(column), column.decimals, value(row, i));
        if (!column.has_ratio) continue;
        const double times = ratio(row, table.rows[0], i);
        std::printf(" %7.*f", times < 100 ? 2 : 0, times);
    }
}

void print(const ResultTable &table)
{
    std::printf("\n%s\n%-*s", table.title.c_str(), name_columns, "");
    for (const ResultColumn &column : table.columns)
        std::printf(" %*s%s", width(column), column.title.c_str(),
                    column.has_ratio ? "   ratio" : "");
    std::printf("  spread  delivered\n");
    for (const ResultRow &row : table.rows) {
        std::printf("%-*s", name_columns, row.name.c_str());
        print_values(table, row);
        std::printf("   %3.0f %%  %7.2f %%%s\n", spread_percent(row), row.delivered_percent,
                    row.kept ? "" : "  WRONG");
    }
    for (const std::string &note : table.notes)
        std::printf("  %s\n", note.c_str());
    std::fflush(stdout);
}

// --- JSON ---

bool write_json(const Results &all, const std::string &path)
{
    std::ofstream file(path);
    file << Json(all).dump(1) << "\n";
    return static_cast<bool>(file.flush());
}

// A table with no rows, no rounds or rows of other lengths would be read beyond its end.
static bool is_whole(const ResultTable &table)
{
    return !table.rows.empty() && std::all_of(table.rows.begin(), table.rows.end(), [&](auto &row) {
        return !row.rounds.empty() &&
               std::all_of(row.rounds.begin(), row.rounds.end(),
                           [&](auto &r) { return r.size() == table.columns.size(); });
    });
}

ReadResults read_json(const std::string &path)
{
    std::ifstream file(path);
    const Json read = Json::parse(file, nullptr, false);
    if (!file || read.is_discarded()) return {{}, path + " is not there or no JSON"};
    try {
        Results all = read.get<Results>();
        if (std::all_of(all.tables.begin(), all.tables.end(), is_whole)) return {all, ""};
    } catch (const Json::exception &problem) {
        return {{}, path + ": " + problem.what()};
    }
    return {{}, path + ": a table has too few values"};
}

}
}
