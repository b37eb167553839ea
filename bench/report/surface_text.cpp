#include "bench/report/surface_text.h"
#include "bench/report/svg.h"
#include <cstdio>

namespace bench {

namespace {

std::string number_text(double value, int decimals)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

// The ratio to the first row of the table; "" without such a column.
std::string ratio_text(const ResultTable &table, const ResultRow &row, const char *column)
{
    const int at = results::column(table, column);
    if (at < 0) return "";
    return number_text(results::ratio(row, table.rows[0], static_cast<size_t>(at)), 2);
}

std::string value_text(const ResultTable &table, const ResultRow &row, const char *column)
{
    const int at = results::column(table, column);
    if (at < 0) return "";
    return number_text(results::value(row, static_cast<size_t>(at)), 1);
}

// Titles begin with the layer and the section: "surface idle: a host of ...".
std::string scene(const ResultTable &table)
{
    const size_t colon = table.title.find(": ");
    return colon == std::string::npos ? table.title : table.title.substr(colon + 2);
}

bool is_surface(const ResultTable &table)
{
    return table.id.starts_with("surface_") && results::column(table, "host us") >= 0;
}

}

bool has_surface(const Results &all)
{
    for (const ResultTable &table : all.tables)
        if (is_surface(table)) return true;
    return false;
}

std::string surface_text(const Results &all)
{
    std::string text =
        "| scene | | host CPU, x | client CPU, x | bytes, x | p99 ms | p99 ms of the "
        "baseline | delivered |\n|---|---|---|---|---|---|---|---|\n";
    for (const ResultTable &table : all.tables) {
        if (!is_surface(table)) continue;
        std::string name = scene(table);
        for (const ResultRow &row : table.rows) {
            if (!row.name.starts_with("tern")) continue;
            const char *bytes = results::column(table, "kbit/s") < 0 ? "bytes" : "kbit/s";
            const char *clients =
                results::column(table, "client us") < 0 ? "clients us" : "client us";
            text +=
                svg::join({"| ", name, " | ", row.name, " | ", ratio_text(table, row, "host us"),
                           " | ", ratio_text(table, row, clients), " | ",
                           ratio_text(table, row, bytes), " | ", value_text(table, row, "p99 ms"),
                           " | ", value_text(table, table.rows[0], "p99 ms"), " | ",
                           number_text(row.delivered_percent, 1), " % |\n"});
            name.clear();
        }
    }
    return text;
}

}
