#include "sim/picture/picture.h"
#include "sim/picture/picture_draw.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern {

namespace {

constexpr double margin_px = 16, line_px = 17;
constexpr double width_least_px = 720; // The title and the legend need it.

// One entry of the legend.
struct Entry {
    std::string words;
    Ink sample; // 40 px wide and 16 px high, at the origin.
};

bool has_outcome(const Plan &plan, ArrowOutcome outcome)
{
    return std::any_of(plan.arrows.begin(), plan.arrows.end(),
                       [&](const Arrow &arrow) { return arrow.outcome == outcome; });
}

bool has_spot(const Plan &plan, MomentKind kind)
{
    return std::any_of(plan.spots.begin(), plan.spots.end(),
                       [&](const Spots &spots) { return spots.kind == kind; });
}

bool has_act(const Plan &plan, MomentKind kind)
{
    return std::any_of(plan.acts.begin(), plan.acts.end(),
                       [&](const PictureAct &act) { return act.kind == kind; });
}

void add_wires(std::vector<Entry> &out, const Plan &plan)
{
    struct Kind {
        ArrowOutcome outcome;
        const char *look, *words;
    };
    static constexpr Kind kinds[] = {
        {ArrowOutcome::heard, "heard", "a message, from said to heard"},
        {ArrowOutcome::ignored, "ignored", "heard, and changed nothing"},
        {ArrowOutcome::lost, "lost", "never arrived"},
        {ArrowOutcome::under_way, "under_way", "still under way at the end"},
        {ArrowOutcome::unsaid, "unsaid", "heard; when it was said is not known"}};
    for (const Kind &kind : kinds) {
        if (!has_outcome(plan, kind.outcome)) continue;
        Entry entry = {kind.words, {}};
        ink::open(entry.sample, std::string("class=\"") + kind.look + "\"", "");
        draw::wire(entry.sample, {2, 8}, {36, 8}, kind.outcome, false, false);
        ink::close(entry.sample);
        out.push_back(entry);
    }
    const bool doubled = std::any_of(plan.arrows.begin(), plan.arrows.end(),
                                     [](const Arrow &arrow) { return arrow.doubled; });
    if (doubled) {
        out.push_back({"arrived twice", {}});
        draw::wire(out.back().sample, {2, 8}, {40, 8}, ArrowOutcome::heard, false, true);
    }
    for (const MomentKind kind : {MomentKind::lost, MomentKind::doubled}) {
        if (!has_spot(plan, kind)) continue;
        const bool lost = kind == MomentKind::lost;
        out.push_back({lost ? "datagrams lost (how many)" : "datagrams doubled (how many)", {}});
        draw::spot(out.back().sample, {8, 8}, {1, 0}, kind, 1);
    }
}

void add_bands(std::vector<Entry> &out, const Plan &plan)
{
    const auto is_alive = [](const Stretch &stretch) { return stretch.alive; };
    const auto it = std::find_if(plan.stretches.begin(), plan.stretches.end(), is_alive);
    if (it != plan.stretches.end()) {
        out.push_back({"the object lives here: who owns it, and the stamp of that tenure", {}});
        ink::rectangle(out.back().sample, {0, 0}, {38, 16}, draw::fill(plan, it->owner));
        ink::text(out.back().sample, {3, 12},
                  names::text(it->owner) + " \u00b7 " + names::text(it->stamp), "class=\"small\"");
    }
    const auto has = [&](bool alive, bool tomb) {
        return std::any_of(
            plan.stretches.begin(), plan.stretches.end(), [&](const Stretch &stretch) {
                return tomb ? stretch.has_tomb : stretch.alive == alive && !stretch.has_tomb;
            });
    };
    if (has(false, true)) {
        out.push_back({"it dies here", {}});
        draw::tomb(out.back().sample, {20, 18});
    }
    if (has(false, false)) {
        out.push_back({"dead, and remembered as dead", {}});
        ink::line(out.back().sample, {0, 8}, {38, 8}, "class=\"grave\"");
    }
    if (!plan.objects.empty()) {
        out.push_back({"it is not known here", {}});
        ink::rectangle(out.back().sample, {0, 0}, {38, 16}, "class=\"stay\"");
    }
}

void add_signs(std::vector<Entry> &out, const Plan &plan)
{
    struct Kind {
        MomentKind kind;
        const char *words;
    };
    static constexpr Kind kinds[] = {{MomentKind::started, "a new peer starts here"},
                                     {MomentKind::left, "leaves, or has to end"},
                                     {MomentKind::crashed, "crashes: all its memory is gone"}};
    for (const Kind &kind : kinds) {
        if (!has_act(plan, kind.kind)) continue;
        out.push_back({kind.words, {}});
        draw::sign(out.back().sample, {20, 8}, kind.kind);
    }
    for (const bool pause : {true, false}) {
        const bool any =
            std::any_of(plan.hatches.begin(), plan.hatches.end(),
                        [&](const Hatch &hatch) { return hatch.text.empty() == pause; });
        if (!any) continue;
        out.push_back({pause ? "paused: does nothing" : "cut off: nothing gets through", {}});
        ink::rectangle(out.back().sample, {0, 0}, {38, 15},
                       pause ? "class=\"pause\"" : "class=\"cut\"");
    }
}

std::vector<Entry> entries(const Page &page)
{
    std::vector<Entry> out;
    add_bands(out, page.plan);
    add_wires(out, page.plan);
    add_signs(out, page.plan);
    const std::vector<bool> &broken = page.layout.broken;
    if (std::find(broken.begin(), broken.end(), true) != broken.end()) {
        out.push_back({page.history.steps ? "moves left out" : "quiet time, drawn short", {}});
        ink::path(out.back().sample, {{16, 2}, {20, 6}, {16, 10}, {20, 14}}, false,
                  "class=\"break\"");
    }
    return out;
}

// Returns the y at which it ends.
double legend(Ink &ink, const Page &page, double width)
{
    Point at = {margin_px, page.layout.bottom + 34};
    for (const Entry &entry : entries(page)) {
        const double length = 46 + ink::width(entry.words, small_px) + 22;
        if (at.x > margin_px && at.x + length > width) at = {margin_px, at.y + 24};
        ink.text += "<g transform=\"translate(" + ink::number(at.x) + " " + ink::number(at.y) +
                    ")\">\n" + entry.sample.text;
        ink::text(ink, {46, 12}, entry.words, "class=\"small\"");
        ink::close(ink);
        at.x += length;
    }
    return at.y + 34;
}

std::string about(const Page &page)
{
    const Plan &plan = page.plan;
    std::string out = page.history.steps
                          ? "Moves from left to right, one after the other."
                          : "Time from left to right, in milliseconds; quiet time is drawn short.";
    if (plan.begins_us != 0)
        out += " What was before " + plan::time_text(page.history, plan.begins_us) +
               (page.history.steps ? "" : " ms") + " is not drawn.";
    if (plan.narrow && plan.left_out != 0)
        out += " Only what led to the violation is drawn (" + std::to_string(plan.left_out) +
               " other moments are not).";
    if (plan.more_objects != 0)
        out += " And " + std::to_string(plan.more_objects) +
               " more objects, which have no bands here.";
    const size_t unlabelled = layout::unlabelled(plan, page.layout);
    if (unlabelled != 0)
        out +=
            " " + std::to_string(unlabelled) + " arrows have no room for a label: point at them.";
    return out;
}

// Writes the title, a sentence about the run and the violations. Returns the y at which they end.
double header(Ink &ink, const Page &page, double width)
{
    const double room = width - 2 * margin_px;
    double y = 14;
    for (const std::string &line : ink::wrapped(page.history.title, title_px, room)) {
        y += 20;
        ink::text(ink, {margin_px, y}, line, "class=\"title\"");
    }
    for (const std::string &line : ink::wrapped(about(page), small_px, room)) {
        y += line_px;
        ink::text(ink, {margin_px, y}, line, "class=\"tick\"");
    }
    for (const Flag &flag : page.plan.flags) {
        const std::vector<std::string> lines =
            ink::wrapped(flag.id + ": " + flag.text, text_px, room - 24);
        y += 10;
        ink::rectangle(ink, {margin_px, y},
                       {room, 10 + line_px * static_cast<double>(lines.size())},
                       "class=\"verdict\"");
        for (const std::string &line : lines) {
            y += line_px;
            ink::text(ink, {margin_px + 12, y}, line, "class=\"wrong bold\"");
        }
        y += 10;
    }
    return y + 12;
}

void axis(Ink &ink, const Page &page)
{
    const Layout &layout = page.layout;
    const double y = layout.axis + 12;
    double free = layout.left + 4;
    ink::text(ink, {layout.left - 12, y}, page.history.steps ? "move" : "ms",
              "class=\"tick\" text-anchor=\"end\"");
    for (size_t i = 1; i < page.plan.columns.size(); ++i) {
        const Column &column = page.plan.columns[i];
        const double x = layout.x[i];
        if (column.flag) continue;
        if (layout.broken[i] && x > layout.x[i - 1] + 8) {
            const double middle = (layout.x[i - 1] + x) / 2;
            ink::path(ink,
                      {{middle - 2, y + 4},
                       {middle + 2, y + 8},
                       {middle - 2, y + 12},
                       {middle + 2, y + 16}},
                      false, "class=\"break\"");
        }
        ink::line(ink, {x, y + 5}, {x, layout.bottom}, "class=\"grid\"");
        const std::string text = plan::time_text(page.history, column.time_us);
        const double half = ink::width(text, small_px) / 2;
        if (x - half < free) continue;
        ink::text(ink, {x, y}, text, "class=\"tick middle\"");
        free = x + half + 6;
    }
}

double header_height(const Page &page, double width)
{
    Ink unused;
    return header(unused, page, width);
}

// Plans the longest end of the history for which there is room.
Plan fitting_plan(const History &history, const PictureOptions &options, bool &tight)
{
    constexpr size_t column_least_px = 14, columns_least = 12;
    size_t columns_max = options.width_max_px / column_least_px;
    for (;;) {
        const Plan plan = plan::make(history, options, columns_max);
        tight = layout::width(plan, history, false) > options.width_max_px;
        if (!tight || columns_max <= columns_least ||
            layout::width(plan, history, true) <= options.width_max_px)
            return plan;
        columns_max = std::min(columns_max, plan.columns.size()) * 7 / 8;
    }
}

Layout roomy_layout(const History &history, const PictureOptions &options, const Plan &plan,
                    bool tight)
{
    Layout best = layout::make(plan, history, 1, tight);
    for (const double spread : {1.3, 1.7, 2.2}) {
        if (layout::unlabelled(plan, best) == 0) return best;
        Layout wider = layout::make(plan, history, spread, tight);
        if (wider.width > options.width_max_px) return best;
        best = wider;
    }
    return best;
}

}

namespace {

History in_order(History history)
{
    std::stable_sort(history.moments.begin(), history.moments.end(),
                     [](const Moment &a, const Moment &b) { return a.time_us < b.time_us; });
    return history;
}

}

std::string picture::svg(const History &raw, const PictureOptions &options)
{
    const History history = in_order(raw); // A writer may know ends early.
    bool tight = false;
    const Plan plan = fitting_plan(history, options, tight);
    Layout layout = roomy_layout(history, options, plan, tight);
    const Page page = {history, plan, layout};
    const double width = std::max(layout.width, width_least_px);
    layout::lower(layout, header_height(page, width));

    Ink ink;
    header(ink, page, width);
    axis(ink, page);
    draw::lanes(ink, page);
    draw::bands(ink, page);
    draw::spots(ink, page);
    draw::arrows(ink, page);
    draw::flags(ink, page);
    draw::texts(ink, page);
    const double height = legend(ink, page, width);

    Ink out;
    const std::string size = ink::number(width) + " " + ink::number(height);
    out.text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
               ink::number(width) + "\" height=\"" + ink::number(height) + "\" role=\"img\">\n";
    out.text += "<title>" + ink::escaped(history.title) + "</title>\n" + draw::style();
    ink::rectangle(out, {0, 0}, {width, height}, "class=\"page\"");
    return out.text + ink.text + "</svg>\n";
}

}
