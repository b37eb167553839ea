#include "bench/report/plots.h"
#include "bench/report/goals.h"
#include "bench/report/surface_text.h"
#include "bench/report/svg.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bench::plots {
namespace {

constexpr const char *recorded = "cubes_a.bin.xz";

std::string fixed(double value, int decimals)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

const char *ink_of(const std::string &name)
{
    if (name.starts_with("tern")) return "tern";
    return name.starts_with("ENet") ? "enet" : "plain";
}

// --- Goals: the share of its limit that each figure takes ---

std::string goals_plot(const Results &all)
{
    std::vector<BarPanel> panels;
    for (const Goal &goal : goals::all()) {
        const GoalResult result = goals::evaluate(goal, all);
        if (result.state != GoalState::met && result.state != GoalState::missed) continue;
        if (panels.empty() || panels.back().title != goal.work)
            panels.push_back({goal.work, {}, 1, 3.5});
        const double share =
            goal.at_least ? goal.limit / result.measured : result.measured / goal.limit;
        panels.back().bars.push_back(
            {goal.what,
             {{std::max(share, 0.0), result.state == GoalState::met ? "met" : "missed"}},
             goals::measured_text(goal, result) + ", " + goals::limit_text(goal)});
    }
    if (panels.empty()) return "";
    return svg::bars("Goals, and what was measured", panels,
                     {{"met", "met: within what is allowed (dashed)"}, {"missed", "missed"}});
}

// --- One column of a table, with a bar for each contender ---

bool add_column(std::vector<BarPanel> &panels, const Results &all, const std::string &id,
                const std::string &column, const std::string &title)
{
    const ResultTable *table = results::table(all, id);
    const int at = table ? results::column(*table, column) : -1;
    if (at < 0) return false;
    const auto index = static_cast<size_t>(at);
    BarPanel panel = {title, {}, 0, 0};
    for (const ResultRow &row : table->rows) {
        const double value = results::value(row, index);
        panel.bars.push_back(
            {row.name, {{value, ink_of(row.name)}}, fixed(value, table->columns[index].decimals)});
    }
    panels.push_back(panel);
    return true;
}

std::string transport_plot(const Results &all)
{
    std::vector<BarPanel> panels;
    add_column(panels, all, "small", "CPU ns/msg", "20-byte unreliable messages: CPU ns each");
    add_column(panels, all, "reliable", "CPU ns/msg", "32-byte reliable messages: CPU ns each");
    add_column(panels, all, "bulk", "MB/s", "Bulk, reliable: MB/s (longer is better)");
    add_column(panels, all, "host", "CPU us/client",
               "Host of 64 clients: CPU us per client and tick");
    add_column(panels, all, "latency", "p99 ms",
               "Reliable messages, 25 ms each way, 5 % loss: slowest hundredth, ms");
    if (panels.empty()) return "";
    return svg::bars("Transport beside ENet and plain sockets", panels,
                     {{"tern", "tern, encrypted"}, {"enet", "ENet"}, {"plain", "plain sockets"}});
}

// --- Where the time of a publishing host goes ---

std::string publish_plot(const Results &all)
{
    const char *parts[] = {"receive", "set", "send", "socket"};
    const char *inks[] = {"part0", "part1", "part2", "part3"};
    std::vector<BarPanel> panels;
    for (const char *id : {"publish_4", "publish_16", "publish_1_percent"}) {
        const ResultTable *table = results::table(all, id);
        if (!table) continue;
        BarPanel panel = {table->title + ": ns per update and receiver", {}, 0, 0};
        for (const ResultRow &row : table->rows) {
            Bar bar = {row.name, {}, fixed(results::value(row, 0), 0) + " ns, "};
            for (size_t i = 0; i < 4; ++i) {
                const int column = results::column(*table, parts[i]);
                if (column < 0) return "";
                bar.pieces.push_back({results::value(row, static_cast<size_t>(column)), inks[i]});
            }
            const int bytes = results::column(*table, "bytes");
            if (bytes < 0) return "";
            bar.text += fixed(results::value(row, static_cast<size_t>(bytes)), 1) + " B";
            panel.bars.push_back(bar);
        }
        panels.push_back(panel);
    }
    if (panels.empty()) return "";
    return svg::bars("What publishing costs the host", panels,
                     {{"part0", "receive()"},
                      {"part1", "set()"},
                      {"part2", "send() with the seal"},
                      {"part3", "socket"}});
}

// --- Cubes ---

std::string ages_plot(const Results &all)
{
    std::vector<Line2d> lines;
    for (const ResultTable &table : all.tables) {
        if (!table.id.starts_with("ages/") || (!lines.empty() && !table.id.ends_with(recorded)))
            continue;
        lines.clear();
        for (const ResultRow &row : table.rows) {
            Line2d line = {row.name, ink_of(row.name), {}, {}};
            for (size_t i = 0; i < table.columns.size(); ++i) {
                line.x.push_back(std::atof(table.columns[i].title.c_str()));
                line.y.push_back(results::value(row, i));
            }
            lines.push_back(line);
        }
    }
    if (lines.empty()) return "";
    return svg::lines("Cubes, exact: bytes a frame by the age of the baseline",
                      "age of the baseline in frames of 1/60 s", lines);
}

std::string live_plot(const Results &all)
{
    std::vector<BarPanel> panels;
    BarPanel rate = {
        "Cubes, one receiver, RTT 100 ms: kbit/s on the wire, headers included", {}, 0, 0};
    std::string first; // Name of the first scene; only its tables are plotted.
    BarPanel age = {"Age of what it sees, slowest hundredth, ms", {}, 0, 0};
    for (const ResultTable &table : all.tables) {
        const int down = results::column(table, "down kbit/s");
        const int p99 = results::column(table, "p99 age");
        const size_t colon = table.title.find(": ");
        if (!table.id.starts_with("live/") || down < 0 || p99 < 0) continue;
        if (table.title.find(" 1 receiver, ") == std::string::npos) continue;
        if (!rate.bars.empty() && table.id.find(first) == std::string::npos) continue;
        if (rate.bars.empty()) first = table.id.substr(0, table.id.rfind('/'));
        for (const ResultRow &row : table.rows) {
            const std::string label =
                table.title.substr(table.title.find(", ", colon) + 2) + ": " + row.name;
            const double kilobits = results::value(row, static_cast<size_t>(down));
            const double age_ms = results::value(row, static_cast<size_t>(p99));
            rate.bars.push_back({label, {{kilobits, ink_of(row.name)}}, fixed(kilobits, 0)});
            age.bars.push_back({label, {{age_ms, ink_of(row.name)}}, fixed(age_ms, 0)});
        }
    }
    if (rate.bars.empty()) return "";
    return svg::bars("Cubes through sessions, one receiver, RTT 100 ms", {rate, age}, {});
}

bool write_file(const std::string &path, const std::string &text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    return static_cast<bool>(file.flush());
}

std::string read_file(const std::string &path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

// Replaces the text between <!-- bench NAME --> and <!-- end -->. False: there are no such marks.
bool replace_block(std::string &text, const std::string &name, const std::string &by)
{
    const std::string mark = svg::join({"<!-- bench ", name, " -->\n"});
    const size_t begin = text.find(mark);
    if (begin == std::string::npos) return false;
    const size_t end = text.find("<!-- end -->", begin);
    if (end == std::string::npos) return false;
    text.replace(begin + mark.size(), end - begin - mark.size(), by);
    return true;
}

std::string about(const Results &all)
{
    const Machine &m = all.machine;
    return svg::join({"tern ",
                      all.version,
                      all.commit.empty() ? "" : ", ",
                      all.commit,
                      ", ",
                      all.date,
                      " UTC; ",
                      m.cpu,
                      ";\n",
                      m.kernel,
                      "; ",
                      m.compiler,
                      "; libsodium ",
                      m.libsodium,
                      "; ENet ",
                      m.enet,
                      "; medians of ",
                      std::to_string(all.rounds),
                      " rounds",
                      all.quick ? "; A QUICK RUN, not to be quoted.\n" : ".\n"});
}

std::string table_text(const ResultTable &table)
{
    std::string text = svg::join({"\n**", table.title, "**\n\n| |"});
    std::string rule = "\n|---|";
    for (const ResultColumn &column : table.columns) {
        text += svg::join({" ", column.title, column.has_ratio ? " | ratio |" : " |"});
        rule.append(column.has_ratio ? "---|---|" : "---|");
    }
    text += rule;
    for (const ResultRow &row : table.rows) {
        text += svg::join({"\n| ", row.name, " |"});
        for (size_t i = 0; i < table.columns.size(); ++i) {
            const ResultColumn &column = table.columns[i];
            text += svg::join({" ", fixed(results::value(row, i), column.decimals), " |"});
            if (column.has_ratio)
                text += svg::join({" ", fixed(results::ratio(row, table.rows[0], i), 2), " |"});
        }
    }
    return text.append("\n");
}

std::string tables_text(const Results &all)
{
    std::string text;
    for (const ResultTable &table : all.tables)
        text += table_text(table);
    return text.append("\n");
}

// Takes the first measured figure of each work.
std::string headline(const Results &all)
{
    std::string text = "| work | | tern | goal |\n|---|---|---|---|\n";
    const char *last = "";
    for (const Goal &goal : goals::all()) {
        const GoalResult result = goals::evaluate(goal, all);
        const bool is_measured =
            result.state == GoalState::met || result.state == GoalState::missed;
        if (std::strcmp(last, goal.work) == 0 || !is_measured) continue;
        last = goal.work;
        text += svg::join({"| ", goal.work, " | ", goal.what, " | ",
                           goals::measured_text(goal, result), " | ", goals::limit_text(goal),
                           result.state == GoalState::met ? "" : ": **missed**", " |\n"});
    }
    return text;
}

}

std::string write(const Results &all, const std::string &folder)
{
    const struct {
        const char *name;
        std::string (*draw)(const Results &all);
    } plots[] = {{"goals", goals_plot},
                 {"transport", transport_plot},
                 {"publish", publish_plot},
                 {"ages", ages_plot},
                 {"live", live_plot}};
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    for (const auto &plot : plots) {
        const std::string text = plot.draw(all);
        const std::string path = folder + "/" + plot.name + ".svg";
        if (!text.empty() && !write_file(path, text)) return svg::join({"cannot write ", path});
    }
    return "";
}

std::string write_documents(const Results &all, const std::string &root)
{
    std::string page = read_file(root + "/docs/performance.md");
    std::string readme = read_file(root + "/README.md");
    if (!replace_block(page, "goals", about(all) + "\n" + goals::markdown(all)) ||
        !replace_block(page, "tables", tables_text(all)) ||
        (has_surface(all) && !replace_block(page, "surface", surface_text(all))) ||
        !replace_block(readme, "headline", headline(all)))
        return root + " has no documents with the marks <!-- bench ... -->";
    if (!write_file(root + "/docs/performance.md", page) ||
        !write_file(root + "/README.md", readme))
        return "cannot write the documents";
    return write(all, root + "/docs/plots");
}

}
