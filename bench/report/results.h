// Measured values as data: the tables, the goals' verdicts, the JSON and the plots come from it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct ResultColumn {
    std::string title;
    int decimals;
    bool has_ratio; // The table also shows the ratio to the baseline.
};

struct ResultRow { // The results of one contender.
    std::string name;
    std::vector<std::vector<double>> rounds; // [round][column]
    double delivered_percent;
    bool kept; // The contender delivered what its Promise requires.
};

struct ResultTable { // The results of one section; rows[0] is the baseline.
    std::string id;  // Goals and plots find the table by this name.
    std::string title;
    std::vector<ResultColumn> columns;
    std::vector<ResultRow> rows;
    std::vector<std::string> notes;
};

struct Machine {
    std::string kernel, cpu, compiler, libsodium, enet, build;
};

struct Results {
    std::string version; // Version of tern.
    std::string commit;  // Git commit; "" if unknown.
    std::string date;    // Date in UTC.
    Machine machine;
    bool quick;
    uint32_t rounds;
    std::vector<ResultTable> tables;
};

struct ReadResults {
    Results results;
    std::string error; // Description of the error; "" if there is none.
};

namespace results {

// Each returns null or -1 if nothing has this name.
const ResultTable *table(const Results &all, const std::string &id);
const ResultRow *row(const ResultTable &table, const std::string &name);
int column(const ResultTable &table, const std::string &title);

// Median over the rounds.
double value(const ResultRow &row, size_t column);
// Median of the ratios to the baseline in the same round, or the ratio of the two medians if the
// numbers of rounds differ.
double ratio(const ResultRow &row, const ResultRow &baseline, size_t column);
// Interquartile range of the first column over the rounds, in percent of its median.
double spread_percent(const ResultRow &row);

void print(const ResultTable &table);

// False: the file cannot be written.
bool write_json(const Results &all, const std::string &path);
ReadResults read_json(const std::string &path);

}
}
