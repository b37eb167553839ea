// What was measured, as data: from it come the tables, the goals' verdicts, the JSON and the plots.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct ResultColumn {
    std::string title;
    int decimals;
    bool has_ratio; // The table shows the ratio to the baseline, too.
};

struct ResultRow { // Of one contender.
    std::string name;
    std::vector<std::vector<double>> rounds; // By round, by column.
    double delivered_percent;
    bool kept; // What it had promised to deliver.
};

struct ResultTable { // Of one section; the first row is the baseline.
    std::string id;  // Names it in goals and plots.
    std::string title;
    std::vector<ResultColumn> columns;
    std::vector<ResultRow> rows;
    std::vector<std::string> notes;
};

struct Machine {
    std::string kernel, cpu, compiler, libsodium, enet, build;
};

struct Results {
    std::string version; // Of tern.
    std::string commit;  // "": unknown.
    std::string date;    // UTC.
    Machine machine;
    bool quick;
    uint32_t rounds;
    std::vector<ResultTable> tables;
};

struct ReadResults {
    Results results;
    std::string error; // "": none.
};

namespace results {

// Null or -1: there is none of that name.
const ResultTable *table(const Results &all, const std::string &id);
const ResultRow *row(const ResultTable &table, const std::string &name);
int column(const ResultTable &table, const std::string &title);

// Medians over the rounds.
double value(const ResultRow &row, size_t column);
// Of the ratios to the baseline of the same round, where both have as many rounds.
double ratio(const ResultRow &row, const ResultRow &baseline, size_t column);
// How far the middle half of the rounds lies apart in the first column, in percent of its median.
double spread_percent(const ResultRow &row);

void print(const ResultTable &table);

// False: the file cannot be written.
bool write_json(const Results &all, const std::string &path);
ReadResults read_json(const std::string &path);

}
}
