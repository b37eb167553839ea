// Draws docs/film.svg, the animation in the README: three peers push crates over a simulated
// network with loss. Each panel shows the world of one peer, in which a crate has the colour of its
// owner. Then the process of the host is killed.
//
//     example_film > docs/film.svg
#include <cmath>
#include <cstdio>
#include <string>
#include <tern/prediction.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <vector>
using namespace tern;

namespace {

struct Body {
    float position[2]; // In pixels of a panel.
    float speed[2];    // In pixels per second. Only the owner moves the body.
};
TERN_FIELDS(Body, field(position, range(-50, 350), step(0.1)),
            field(speed, range(-500, 500), step(0.1)));
enum : TypeId { ship_type, crate_type };
const Type types[] = {
    make_type<Body>("ship",
                    {.objects_max = 8, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
    make_type<Body>("crate", {.objects_max = 16, .orphan = Orphan::spread}),
};

constexpr int peer_count = 3, crate_count = 8;
constexpr float width = 250, height = 180, gap = 10; // The panels, in pixels.
constexpr int ticks_a_second = 60, ticks_a_frame = 8;
constexpr int warm_up_ticks = 120, death_tick = 500, end_tick = 900;
constexpr const char *colours[] = {"#999999", "#d62728", "#1f77b4", "#2ca02c"}; // For each PeerId.

struct Frame {
    std::string crates[crate_count], ships[peer_count]; // Positions: "x,y".
    int owners[crate_count];                            // PeerIds; 0: the crate is not here yet.
    int host;
};

struct Player {
    Session *session;
    Socket *socket;
    ObjectId ship = ObjectId::none;
    std::vector<Frame> frames = {};
};

// The path of a ship: each follows a different slow curve through the whole panel.
Body ship_at(int number, float seconds)
{
    const float angle =
        seconds * (0.9f + 0.13f * static_cast<float>(number)) + 2.1f * static_cast<float>(number);
    return {
        {width * (0.5f + 0.42f * std::cos(angle)), height * (0.5f + 0.4f * std::sin(1.7f * angle))},
        {0, 0}};
}

// Moves a crate that we own: our ship pushes it, the floor slows it, the walls reflect it.
Body pushed(Body crate, const Body &ship)
{
    constexpr float tick_seconds = 1.0f / ticks_a_second, bounds[] = {width, height};
    const float away[] = {crate.position[0] - ship.position[0],
                          crate.position[1] - ship.position[1]};
    const float distance = std::hypot(away[0], away[1]) + 0.01f;
    for (int i = 0; i < 2; ++i) {
        if (distance < 24) crate.speed[i] += 18 * away[i] / distance;
        crate.speed[i] *= 0.985f;
        crate.position[i] += crate.speed[i] * tick_seconds;
        const bool left = crate.position[i]<8, right = crate.position[i]> bounds[i] - 8;
        if (left) crate.speed[i] = std::abs(crate.speed[i]);
        if (right) crate.speed[i] = -std::abs(crate.speed[i]);
    }
    return crate;
}

void play(Player &player, int number, int tick)
{
    Session *session = player.session;
    if (session_state(session) != State::open) return;
    const Body ship = ship_at(number, static_cast<float>(tick) / ticks_a_second);
    if (player.ship == ObjectId::none) {
        player.ship = create(session, ship_type, ship);
        for (int i = 0; number == 0 && i < crate_count; ++i)
            create(session, crate_type,
                   Body{{20 + 30 * static_cast<float>(i), i % 2 ? 60.0f : 120.0f}, {0, 0}});
        return;
    }
    set(session, Object<Body>{player.ship}, ship);
    for (const ObjectId id : object_ids(session, crate_type)) {
        const Body &crate = get(session, Object<Body>{id});
        if (may_set(session, id))
            set(session, Object<Body>{id}, pushed(crate, ship));
        else if (std::hypot(crate.position[0] - ship.position[0],
                            crate.position[1] - ship.position[1]) < 24)
            claim(session, id, ClaimMode::optimistic); // Takes effect at once; undone if refused.
    }
}

std::string point(const Session *session, ObjectId id, uint64_t now_us)
{
    Body body = get(session, Object<Body>{id});
    sample(session, Object<Body>{id}, now_us - 100'000, body);
    char text[32];
    std::snprintf(text, sizeof text, "%.0f,%.0f", static_cast<double>(body.position[0]),
                  static_cast<double>(body.position[1]));
    return text;
}

void film(Player &player, uint64_t now_us)
{
    const Session *session = player.session;
    Frame frame = {};
    frame.host = static_cast<int>(host_peer(session));
    for (std::string &place : frame.ships)
        place = "-50,-50";
    for (const ObjectId id : object_ids(session, ship_type))
        frame.ships[static_cast<int>(object_owner(session, id)) - 1] = point(session, id, now_us);
    // object_ids() has no fixed order, so crates are ordered by id; player 0 has created all of
    // them.
    for (const ObjectId id : object_ids(session, crate_type)) {
        size_t place = 0;
        for (const ObjectId other : object_ids(session, crate_type))
            place += other < id;
        frame.crates[place] = point(session, id, now_us);
        frame.owners[place] = static_cast<int>(object_owner(session, id));
    }
    player.frames.push_back(frame);
}

// --- The picture ---

// Prints an SVG animation of an attribute, with one value for each frame.
void animate(const char *attribute, const std::vector<std::string> &values, bool smooth)
{
    const double seconds = static_cast<double>(values.size()) * ticks_a_frame / ticks_a_second;
    if (smooth)
        std::printf("<animateTransform attributeName=\"transform\" type=\"translate\"");
    else
        std::printf("<animate attributeName=\"%s\" calcMode=\"discrete\"", attribute);
    std::printf(" dur=\"%.2fs\" repeatCount=\"indefinite\" values=\"", seconds);
    std::string times;
    for (size_t i = 0; i < values.size(); ++i) {
        if (!smooth && i > 0 && values[i] == values[i - 1]) continue; // Only changes are printed.
        std::printf("%s%s", i ? ";" : "", values[i].c_str());
        char time[16];
        std::snprintf(time, sizeof time, "%s%.3f", i ? ";" : "",
                      static_cast<double>(i) / static_cast<double>(values.size()));
        times += time;
    }
    std::printf("\"");
    if (!smooth) std::printf(" keyTimes=\"%s\"", times.c_str());
    std::printf("/>");
}

template <class Value> std::vector<std::string> track(const Player &player, const Value &value)
{
    std::vector<std::string> values;
    for (const Frame &frame : player.frames)
        values.push_back(value(frame));
    return values;
}

void draw_panel(const Player &player, int number)
{
    const auto shown = [&](bool when) { return std::string(when ? "1" : "0"); };
    std::printf("<g transform=\"translate(%.0f,40)\">\n",
                static_cast<double>(gap + static_cast<float>(number) * (width + gap)));
    std::printf("<rect width=\"%.0f\" height=\"%.0f\" fill=\"#f7f7f7\" stroke=\"%s\"/>\n",
                static_cast<double>(width), static_cast<double>(height), colours[number + 1]);
    std::printf("<text y=\"-6\" fill=\"%s\">peer %d</text>\n", colours[number + 1], number + 1);
    std::printf("<text x=\"45\" y=\"-6\">is the host");
    animate("opacity", track(player, [&](const Frame &f) { return shown(f.host == number + 1); }),
            false);
    std::printf("</text>\n");
    for (int i = 0; i < crate_count; ++i) {
        std::printf("<rect x=\"-7\" y=\"-7\" width=\"14\" height=\"14\" stroke=\"#333\">");
        animate("", track(player, [&](const Frame &f) { return f.crates[i]; }), true);
        animate("fill", track(player, [&](const Frame &f) { return colours[f.owners[i]]; }), false);
        std::printf("</rect>\n");
    }
    for (int i = 0; i < peer_count; ++i) {
        std::printf("<circle r=\"9\" fill=\"%s\" stroke=\"#333\">", colours[i + 1]);
        animate("", track(player, [&](const Frame &f) { return f.ships[i]; }), true);
        std::printf("</circle>\n");
    }
    if (number == 0) { // After its process is killed, the panel freezes and fades.
        constexpr size_t death_frame = (death_tick - warm_up_ticks) / ticks_a_frame;
        std::vector<std::string> veil(player.frames.size(), "0");
        for (size_t i = death_frame; i < veil.size(); ++i)
            veil[i] = "0.85";
        std::printf("<g><rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>"
                    "<text x=\"60\" y=\"95\">its process was killed</text>",
                    static_cast<double>(width), static_cast<double>(height));
        animate("opacity", veil, false);
        std::printf("</g>\n");
    }
    std::printf("</g>\n");
}

void draw(const std::vector<Player> &players)
{
    std::printf(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"%.0f\" y=\"16\">Each ship pushes crates; who pushes one owns it: colour. "
        "20 to 80 ms, 5 %% loss. The host dies; another peer takes over.</text>\n",
        static_cast<double>(gap + peer_count * (width + gap)), static_cast<double>(height + 50),
        static_cast<double>(gap));
    for (int i = 0; i < peer_count; ++i)
        draw_panel(players[static_cast<size_t>(i)], i);
    std::puts("</svg>");
}

}

int main()
{
    SimNetwork *network = make_sim_network({.seed = 7, .impairment = {.loss = 0.05f}});
    std::vector<Player> players;
    for (int i = 0; i < peer_count; ++i)
        players.push_back({make_session({.types = types, .timeout_ms = 1000}),
                           make_sim_socket(network, loopback(static_cast<uint16_t>(7777 + i)))});
    start(players[0].session);
    const Address address = loopback(7777);
    for (int i = 1; i < peer_count; ++i)
        join(players[static_cast<size_t>(i)].session,
             make_invite(players[0].session, {&address, 1}));

    for (int tick = 1; tick <= end_tick; ++tick) {
        const uint64_t now_us = static_cast<uint64_t>(tick) * 1'000'000 / ticks_a_second;
        advance(network, now_us);
        for (int i = 0; i < peer_count; ++i) {
            Player &player = players[static_cast<size_t>(i)];
            if (i > 0 || tick < death_tick) { // From death_tick on, player 0 is killed.
                receive(player.session, player.socket->receive(), now_us);
                play(player, i, tick);
                player.socket->send(send(player.session, now_us));
            }
            if (tick < warm_up_ticks || tick % ticks_a_frame) continue;
            if (i > 0 || tick < death_tick)
                film(player, now_us);
            else
                player.frames.push_back(player.frames.back());
        }
    }
    draw(players);
    for (const Player &player : players)
        destroy_session(player.session);
    destroy_sim_network(network);
}
