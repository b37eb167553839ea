#include "bench/rigid_cubes.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr double step_s = 1.0 / 120;
constexpr double gravity = 9.81;
constexpr double wall = 31, cell_side = 0.8;
constexpr int cell_count = 80; // Cells in a row of the grid.
constexpr int rounds = 8;      // Passes of the solver over all contacts.
constexpr double friction = 0.7, restitution = 0.2, bounce_speed = 0.5;
// Depth that is tolerated; the share of the rest that is corrected in each step.
constexpr double slack = 0.004, correction = 0.15;
constexpr double calm_speed = 0.08, calm_spin = 0.3;
constexpr double spin_max = 25, speed_max = 30;

Vector operator+(Vector a, Vector b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator-(Vector a, Vector b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(Vector a, double f)
{
    return {a.x * f, a.y * f, a.z * f};
}
double dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector cross(Vector a, Vector b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double length(Vector a)
{
    return std::sqrt(dot(a, a));
}

void find_axes(Cube &c)
{
    const Turn q = c.turn;
    c.axes[0] = {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z),
                 2 * (q.x * q.z - q.w * q.y)};
    c.axes[1] = {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z),
                 2 * (q.y * q.z + q.w * q.x)};
    c.axes[2] = cross(c.axes[0], c.axes[1]);
}

Vector corner(const Cube &c, unsigned i)
{
    const auto side = [i](unsigned bit) { return (i >> bit & 1) != 0 ? 1.0 : -1.0; };
    return c.at + (c.axes[0] * side(0) + c.axes[1] * side(1) + c.axes[2] * side(2)) * c.half;
}

bool sleeps(const Cube &c)
{
    return c.calm_steps > calm_steps_max;
}

double inverse_inertia(const Cube &c)
{
    return 1.5 / (c.mass * c.half * c.half); // m s^2 / 6, with side s = 2 half.
}

Cube make_cube(double half, Vector at)
{
    Cube c = {};
    c.half = half;
    c.mass = half * half * half * 125; // A small cube has mass 1.
    c.at = at;
    c.turn = {1, 0, 0, 0};
    find_axes(c);
    return c;
}

// --- Contacts: corners in the floor, in walls and in other cubes ---

void touch(RigidCubes &world, size_t a, size_t b, Vector at, Vector normal, double depth)
{
    world.contacts.push_back({a, b, at, normal, depth, 0, 0});
}

void touch_walls(RigidCubes &world, size_t index)
{
    const Cube &c = world.cubes[index];
    const double reach = c.half * 1.75;
    const size_t fixed = world.cubes.size();
    const bool near_wall = std::fabs(c.at.x) + reach > wall || std::fabs(c.at.y) + reach > wall;
    if (c.at.z > reach && !near_wall) return;
    for (unsigned i = 0; i < 8; ++i) {
        const Vector p = corner(c, i);
        if (p.z < 0) touch(world, index, fixed, p, {0, 0, 1}, -p.z);
        if (p.x > wall) touch(world, index, fixed, p, {-1, 0, 0}, p.x - wall);
        if (p.x < -wall) touch(world, index, fixed, p, {1, 0, 0}, -wall - p.x);
        if (p.y > wall) touch(world, index, fixed, p, {0, -1, 0}, p.y - wall);
        if (p.y < -wall) touch(world, index, fixed, p, {0, 1, 0}, -wall - p.y);
    }
}

// Pushes each corner of a that is inside b out by the nearest face.
void touch_corners(RigidCubes &world, size_t a, size_t b)
{
    const Cube &inside = world.cubes[a];
    const Cube &other = world.cubes[b];
    for (unsigned i = 0; i < 8; ++i) {
        const Vector p = corner(inside, i);
        const Vector from_centre = p - other.at;
        double least = 1e9;
        Vector normal = {};
        for (const Vector &axis : other.axes) {
            const double along = dot(from_centre, axis);
            const double depth = other.half - std::fabs(along);
            if (depth >= least) continue;
            least = depth;
            normal = axis * (along < 0 ? -1.0 : 1.0);
        }
        if (least > 0) touch(world, a, b, p, normal, least);
    }
}

void touch_pair(RigidCubes &world, size_t a, size_t b)
{
    Cube &first = world.cubes[a];
    Cube &second = world.cubes[b];
    const Vector apart = first.at - second.at;
    const double reach = (first.half + second.half) * 1.75;
    if (dot(apart, apart) > reach * reach) return;
    const size_t before = world.contacts.size();
    touch_corners(world, a, b);
    touch_corners(world, b, a);
    if (world.contacts.size() == before) return;
    if (sleeps(first) != sleeps(second)) { // A slow contact does not wake a sleeping cube.
        const Cube &awake = sleeps(first) ? second : first;
        if (length(awake.velocity) + awake.half * length(awake.spin) < 2 * calm_speed) return;
        (sleeps(first) ? first : second).calm_steps = 0;
    }
    first.is_touched = second.is_touched = first.is_touched || second.is_touched;
}

int cell_row(double at)
{
    return std::clamp(static_cast<int>((at + wall + 1) / cell_side), 0, cell_count - 1);
}

std::vector<uint32_t> &cell(RigidCubes &world, int x, int y)
{
    return world.cells[static_cast<size_t>(y * cell_count + x)];
}

void touch_small(RigidCubes &world, size_t index)
{
    const int x = cell_row(world.cubes[index].at.x), y = cell_row(world.cubes[index].at.y);
    for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, cell_count - 1); ++ny)
        for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, cell_count - 1); ++nx)
            for (uint32_t other : cell(world, nx, ny)) {
                const bool once = other < index || sleeps(world.cubes[other]);
                if (other != index && once) touch_pair(world, index, other);
            }
}

void find_contacts(RigidCubes &world)
{
    world.contacts.clear();
    for (std::vector<uint32_t> &one : world.cells)
        one.clear();
    for (size_t i = world.players.size(); i < world.cubes.size(); ++i)
        cell(world, cell_row(world.cubes[i].at.x), cell_row(world.cubes[i].at.y))
            .push_back(static_cast<uint32_t>(i));
    for (size_t i = 0; i < world.cubes.size(); ++i) {
        if (sleeps(world.cubes[i])) continue;
        touch_walls(world, i);
        if (i >= world.players.size()) touch_small(world, i);
    }
    for (size_t p = 0; p < world.players.size(); ++p)
        for (size_t i = p + 1; i < world.cubes.size(); ++i)
            touch_pair(world, p, i);
}

// --- Impulses ---

Vector speed_at(const RigidCubes &world, size_t index, Vector at)
{
    if (index >= world.cubes.size()) return {};
    const Cube &c = world.cubes[index];
    return c.velocity + cross(c.spin, at - c.at);
}

double ease(const RigidCubes &world, size_t index, Vector at, Vector direction)
{
    if (index >= world.cubes.size()) return 0;
    const Cube &c = world.cubes[index];
    const Vector arm = cross(at - c.at, direction);
    return 1 / c.mass + dot(arm, arm) * inverse_inertia(c);
}

void push(RigidCubes &world, size_t index, Vector at, Vector impulse)
{
    if (index >= world.cubes.size()) return;
    Cube &c = world.cubes[index];
    if (sleeps(c)) return;
    c.velocity = c.velocity + impulse * (1 / c.mass);
    c.spin = c.spin + cross(at - c.at, impulse) * inverse_inertia(c);
}

void push_both(RigidCubes &world, const CubeContact &k, Vector impulse)
{
    push(world, k.a, k.at, impulse);
    push(world, k.b, k.at, impulse * -1.0);
}

void solve(RigidCubes &world, CubeContact &k)
{
    Vector apart = speed_at(world, k.a, k.at) - speed_at(world, k.b, k.at);
    const double eased = ease(world, k.a, k.at, k.normal) + ease(world, k.b, k.at, k.normal);
    const double out = std::max(k.depth - slack, 0.0) * correction / step_s;
    const double wanted = std::max(k.bounce, std::min(out, 3.0));
    const double pushed = std::max(k.pushed + (wanted - dot(apart, k.normal)) / eased, 0.0);
    push_both(world, k, k.normal * (pushed - k.pushed));
    k.pushed = pushed;
    apart = speed_at(world, k.a, k.at) - speed_at(world, k.b, k.at);
    const Vector sliding = apart - k.normal * dot(apart, k.normal);
    const double speed = length(sliding);
    if (speed < 1e-9) return;
    const Vector along = sliding * (1 / speed);
    const double stop = speed / (ease(world, k.a, k.at, along) + ease(world, k.b, k.at, along));
    push_both(world, k, along * -std::min(stop, friction * pushed / rounds * 2));
}

// --- Players ---

void choose_errand(RigidCubes &world, Player &player)
{
    const double dice = tern::random::unit(world.random);
    player.errand = dice < 0.2    ? Errand::rest
                    : dice < 0.55 ? Errand::roll
                    : dice < 0.85 ? Errand::gather
                                  : Errand::push;
    player.steps_left = static_cast<uint32_t>(60 + tern::random::below(world.random, 360));
    player.goal = {tern::random::unit(world.random) * 26 - 13,
                   tern::random::unit(world.random) * 26 - 13, 0};
}

// Pulls the small cubes around a player towards it, or throws them off.
void draw(RigidCubes &world, const Cube &player, bool away)
{
    static constexpr double radius = 3, strength = 32;
    for (size_t i = world.players.size(); i < world.cubes.size(); ++i) {
        Cube &c = world.cubes[i];
        Vector to = player.at - c.at;
        const double distance = length(to) + 1e-6;
        if (distance > radius) continue;
        if (away) to.z -= 0.35 * distance;
        const double force =
            away ? -strength * (1 - distance / radius) : strength * (1 - 0.5 * distance / radius);
        c.velocity = c.velocity + to * (force * step_s / distance / c.mass);
        c.calm_steps = 0;
        c.is_touched = true;
    }
}

void play(RigidCubes &world, size_t index)
{
    Player &player = world.players[index];
    Cube &cube = world.cubes[index];
    cube.is_touched = true;
    if (player.steps_left == 0) choose_errand(world, player);
    player.steps_left -= 1;
    if (player.errand == Errand::rest) return;
    cube.calm_steps = 0;
    static constexpr double speed = 7, force_max = 18;
    Vector to = player.goal - cube.at;
    to.z = 0;
    const double distance = length(to) + 1e-6;
    if (distance < 1) player.steps_left = std::min(player.steps_left, 10u);
    Vector wish = to * (speed / distance) - cube.velocity;
    wish.z = 0;
    const double wished = length(wish) + 1e-6;
    cube.velocity = cube.velocity + wish * (std::min(force_max, wished * 12) * step_s / wished);
    if (player.errand == Errand::push)
        cube.velocity.z += gravity * step_s * (cube.at.z < 1.6 ? 1.35 : 0.6);
    if (player.errand != Errand::roll) draw(world, cube, player.errand == Errand::push);
}

// --- A step ---

void limit(Vector &v, double most)
{
    const double size = length(v);
    if (size > most) v = v * (most / size);
}

void move(Cube &c)
{
    limit(c.velocity, speed_max);
    limit(c.spin, spin_max);
    c.at = c.at + c.velocity * step_s;
    const Turn q = c.turn;
    const Vector s = c.spin * (step_s / 2);
    Turn next = {q.w - s.x * q.x - s.y * q.y - s.z * q.z, q.x + s.x * q.w + s.y * q.z - s.z * q.y,
                 q.y + s.y * q.w + s.z * q.x - s.x * q.z, q.z + s.z * q.w + s.x * q.y - s.y * q.x};
    const double size =
        std::sqrt(next.w * next.w + next.x * next.x + next.y * next.y + next.z * next.z);
    c.turn = {next.w / size, next.x / size, next.y / size, next.z / size};
    find_axes(c);
    const bool calm = length(c.velocity) < calm_speed && length(c.spin) < calm_spin;
    c.calm_steps = calm ? c.calm_steps + 1 : 0;
    if (!sleeps(c)) return;
    c.velocity = c.spin = {};
    c.is_touched = false;
}

}

namespace rigid_cubes {

RigidCubes make(uint64_t seed, size_t player_count, double spacing)
{
    RigidCubes world = {};
    world.random = tern::random::from_seed(seed);
    world.cells.resize(cell_count * cell_count);
    for (size_t i = 0; i < player_count; ++i)
        world.cubes.push_back(make_cube(0.75, {8.0 * static_cast<double>(i), -17 * spacing, 0.8}));
    world.players.resize(player_count);
    for (int i = 0; world.cubes.size() < 901; ++i)
        world.cubes.push_back(
            make_cube(0.2, {(i % 30 - 14.5) * spacing, (i / 30 - 14.5) * spacing, 0.2}));
    return world;
}

void step(RigidCubes &world)
{
    for (size_t i = 0; i < world.players.size(); ++i)
        play(world, i);
    find_contacts(world);
    for (Cube &c : world.cubes)
        if (!sleeps(c)) c.velocity.z -= gravity * step_s;
    for (CubeContact &k : world.contacts) {
        const double in = -dot(speed_at(world, k.a, k.at) - speed_at(world, k.b, k.at), k.normal);
        k.bounce = in > bounce_speed ? in * restitution : 0;
    }
    for (int i = 0; i < rounds; ++i)
        for (CubeContact &k : world.contacts)
            solve(world, k);
    for (Cube &c : world.cubes)
        if (!sleeps(c)) move(c);
}

}
}
