// Ships push crates, on screen with SDL2. Objects of others are interpolated, and an overlay draws
// the owners, the ages of updates and the bandwidth.
//
//     example_sdl                    two peers side by side, over a simulated network
//     example_sdl --host             one peer over UDP; prints an invite
//     example_sdl --join <invite>    joins it, from another process
//     ... --frames <n>               ends after so many frames
//     ... --picture <file.bmp>       saves the last frame
//
// The arrow keys steer the first ship, which flies by itself until then; Tab hides the overlay.
#include "game.h"
#include "overlay.h"
#include <cstdlib>
#include <string_view>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/prediction.hpp>
#include <tern/sim.hpp>
using namespace tern;

constexpr int overlay_height = 170, gap = 12, crate_count = 8;
constexpr uint64_t tick_us = 16'667, shown_late_us = 100'000;

struct Arguments {
    bool hosts;
    const char *invite, *picture;
    int frames; // 0: until the window is closed.
};

struct View { // A peer, and what it draws.
    Session *session = nullptr;
    Socket *socket = nullptr;
    Object<Ship> ship = {};
    overlay::Overlay overlay = {};
    int transfers = 0;                     // Changes of owner that this peer has seen.
    float shown[2] = {}, newest[2] = {};   // The ship of another peer in the last frame.
    float shown_step = 0, newest_step = 0; // The largest moves from one frame to the next.
};

// --- The game ---

static void play(View &view, const Uint8 *keys, int tick)
{
    Session *session = view.session;
    if (session_state(session) != State::open) return;
    if (!view.ship) view.ship = create(session, Ship{{width / 2.0f, height / 2.0f}});
    if (!view.ship) return; // There is no room for objects yet; the next tick tries again.
    const int number = static_cast<int>(local_peer(session));
    const Ship ship = steered(get(session, view.ship), keys, number, tick);
    set(session, view.ship, ship);
    for (const Object<Crate> id : object_ids<Crate>(session)) {
        const Crate &crate = get(session, id);
        if (may_set(session, id))
            set(session, id, pushed(crate, ship));
        else if (distance(crate.position, ship.position) < touch)
            claim(session, id, ClaimMode::optimistic);
    }
}

static void tick(View &view, const Uint8 *keys, int number, uint64_t now_us)
{
    for (const Event &event : receive(view.session, view.socket->receive(), now_us)) {
        overlay::note(view.overlay, event, now_us);
        view.transfers += event.kind == EventKind::owner_changed;
        if (event.kind == EventKind::peer_joined) std::printf("%s has come\n", event.newcomer.name);
    }
    play(view, keys, number);
    view.socket->send(send(view.session, now_us));
    overlay::measure(view.overlay, view.session, now_us);
}

// --- The picture ---

// The object as it is shown: ours as it is, others a tenth of a second late. Then two updates lie
// around that time, between which sample() interpolates.
template <class T> static T shown_value(const Session *session, Object<T> id, uint64_t now_us)
{
    T value = get(session, id);
    if (!may_set(session, id)) sample(session, id, now_us - shown_late_us, value);
    return value;
}

// Draws an object filled, and with the overlay the outline of its newest update, and its age.
template <class T>
static void draw_object(SDL_Renderer *to, int left, const View &view, Object<T> id, uint64_t now_us,
                        bool with_overlay)
{
    const Session *session = view.session;
    const auto paint = [&](const T &value, draw::Colour colour, bool filled) {
        const int x = left + static_cast<int>(value.position[0]);
        const int y = gap + static_cast<int>(value.position[1]);
        const bool is_ship = std::is_same_v<T, Ship>;
        is_ship ? draw::circle(to, x, y, 13, colour, filled)
                : draw::rect(to, {x - 10, y - 10, 20, 20}, colour, filled);
    };
    const T shown = shown_value(session, id, now_us);
    paint(shown, overlay::colour_of(object_owner(session, id)), true);
    if (!with_overlay || may_set(session, id)) return;
    paint(get(session, id), overlay::white, false);
    overlay::draw_age(to, left + static_cast<int>(shown.position[0]),
                      gap + static_cast<int>(shown.position[1]), view.overlay, id, now_us);
}

static void draw_view(SDL_Renderer *to, int left, const View &view, uint64_t now_us,
                      bool with_overlay)
{
    draw::rect(to, {left, gap, width, height}, {36, 40, 50}, true);
    for (const Object<Crate> id : object_ids<Crate>(view.session))
        draw_object(to, left, view, id, now_us, with_overlay);
    for (const Object<Ship> id : object_ids<Ship>(view.session))
        draw_object(to, left, view, id, now_us, with_overlay);
    if (!with_overlay) return;
    draw::text(to, left + 6, gap + height - 12, 1, overlay::grey,
               "filled: a tenth of a second ago   outline: newest update, and its age   "
               "colour: owner");
    overlay::draw(to, left, height + 2 * gap, view.overlay, view.session);
}

// Compares how another ship moves as it is shown, and as its updates come.
static void watch(View &view, uint64_t now_us)
{
    if (session_state(view.session) != State::open) return;
    for (const Object<Ship> id : object_ids<Ship>(view.session)) {
        if (may_set(view.session, id)) continue;
        const Ship shown = shown_value(view.session, id, now_us), newest = get(view.session, id);
        if (view.shown[0] > 0) {
            view.shown_step = std::max(view.shown_step, distance(view.shown, shown.position));
            view.newest_step = std::max(view.newest_step, distance(view.newest, newest.position));
        }
        std::copy(shown.position, shown.position + 2, view.shown);
        std::copy(newest.position, newest.position + 2, view.newest);
    }
}

// --- The program ---

struct Program {
    draw::Window window = {};
    SimNetwork *network = nullptr; // Null: the peer plays over UDP.
    std::vector<View> views = {};
    bool with_overlay = true, is_steered = false;
    bool is_leaving = false, is_over = false;
};

static Arguments read_arguments(int argc, char **argv)
{
    Arguments arguments = {};
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (option == "--host") arguments.hosts = true;
        if (option == "--join") arguments.invite = value;
        if (option == "--picture") arguments.picture = value;
        if (option == "--frames" && value) arguments.frames = std::atoi(value);
    }
    return arguments;
}

// Two peers on a simulated network, or one with a UDP socket. The first one has the crates.
static bool enter(Program &program, const Arguments &arguments)
{
    const bool is_alone = arguments.hosts || arguments.invite;
    if (!is_alone) program.network = make_sim_network({.seed = 9, .impairment = {.loss = 0.02f}});
    for (const uint16_t port : {uint16_t{7777}, uint16_t{7778}}) {
        View &view = program.views.emplace_back();
        const bool is_guest = arguments.invite || port == 7778;
        view.session =
            make_session({.types = types, .name = is_guest ? "Ben" : "Ada", .timeout_ms = 3000});
        view.socket =
            is_alone ? make_udp_socket(0).socket : make_sim_socket(program.network, loopback(port));
        if (!view.session || !view.socket) return false;
        if (is_alone) break;
    }
    View &first = program.views[0];
    if (arguments.invite) {
        const ParsedInvite parsed = parse_invite(arguments.invite);
        if (parsed.error) std::fprintf(stderr, "this is no invite: %s\n", parsed.error);
        return !parsed.error && join(first.session, parsed.invite);
    }
    start(first.session);
    for (int i = 0; i < crate_count; ++i)
        create(first.session,
               Crate{{60.0f + 60 * static_cast<float>(i), i % 2 ? 120.0f : 260.0f}, {}});
    const Address address = loopback(first.socket->local_address().port);
    const Invite invite = make_invite(first.session, {&address, 1});
    if (!is_alone) return join(program.views[1].session, invite);
    std::printf("invite: %s\n", to_text(invite).text);
    std::fflush(stdout);
    return true;
}

static void take_input(Program &program)
{
    for (SDL_Event event; SDL_PollEvent(&event);) {
        program.is_leaving = program.is_leaving || event.type == SDL_QUIT;
        if (event.type != SDL_KEYDOWN) continue;
        if (event.key.keysym.sym == SDLK_TAB)
            program.with_overlay = !program.with_overlay;
        else
            program.is_steered = true;
    }
}

// The simulated time goes on by a tick a frame; over UDP it is the clock's.
static void play_frame(Program &program, int frame)
{
    take_input(program);
    const uint64_t sim_us = static_cast<uint64_t>(frame) * tick_us;
    const uint64_t now_us = program.network ? sim_us : clock_us();
    if (program.network) advance(program.network, now_us);
    SDL_SetRenderDrawColor(program.window.renderer, 24, 27, 34, 255);
    SDL_RenderClear(program.window.renderer);
    int left = gap;
    program.is_over = true; // No session goes on.
    for (View &view : program.views) {
        const bool by_keys = program.is_steered && &view == program.views.data();
        tick(view, by_keys ? SDL_GetKeyboardState(nullptr) : nullptr, frame, now_us);
        watch(view, now_us);
        draw_view(program.window.renderer, left, view, now_us, program.with_overlay);
        left += width + gap;
        if (program.is_leaving && session_state(view.session) <= State::cut_off)
            leave(view.session);
        program.is_over = program.is_over && session_state(view.session) > State::leaving;
    }
}

// Whether others moved smoothly on the screen, and crates changed their owners.
static bool is_well_shown(const Program &program)
{
    bool well = true;
    for (const View &view : program.views) {
        std::printf("%s: another ship moved by up to %.1f pixels a frame, its updates by %.1f; "
                    "crates changed owners %d times\n",
                    peer_name(view.session, local_peer(view.session)),
                    static_cast<double>(view.shown_step), static_cast<double>(view.newest_step),
                    view.transfers);
        // The real clock of a busy machine makes jumps of its own.
        const bool is_smooth = !program.network || view.shown_step < view.newest_step;
        well = well && view.shown_step > 0 && is_smooth;
    }
    return well;
}

int main(int argc, char **argv)
{
    const Arguments arguments = read_arguments(argc, argv);
    Program program;
    if (!enter(program, arguments)) return 2;
    program.window = draw::make_window(gap + static_cast<int>(program.views.size()) * (width + gap),
                                       height + overlay_height);
    if (!program.window.renderer) {
        std::fprintf(stderr, "SDL2 shows no window: %s\n", SDL_GetError());
        return 2;
    }
    bool saved = true;
    for (int frame = 1; !program.is_over; ++frame) {
        play_frame(program, frame);
        program.is_leaving = program.is_leaving || frame == arguments.frames;
        if (frame == arguments.frames && arguments.picture)
            saved = draw::save(program.window, arguments.picture);
        SDL_RenderPresent(program.window.renderer);
        // Frames that are counted, over a simulated network, need not wait for the clock.
        if (!program.network || arguments.frames == 0) sleep_us(tick_us - 1000);
    }
    const bool well = is_well_shown(program) && saved;
    for (const View &view : program.views) {
        destroy_session(view.session);
        if (!program.network) destroy_socket(view.socket);
    }
    destroy_sim_network(program.network);
    draw::destroy_window(program.window);
    return well ? 0 : 1;
}
