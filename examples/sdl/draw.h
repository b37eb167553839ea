// Functions that SDL2 lacks: text, circles, and a file with the picture.
#pragma once
#include <SDL.h>
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace draw {

struct Colour {
    uint8_t red, green, blue;
};

// A letter has five columns of eight pixels, a byte for each column. From the space to z.
inline constexpr uint64_t letters[] = {
    0x0000000000, 0x00005F0000, 0x0007000700, 0x147F147F14, 0x122A7F2A24, 0x6264081323,
    0x5020564936, 0x0003070800, 0x0041221C00, 0x001C224100, 0x2A1C7F1C2A, 0x08083E0808,
    0x0030708000, 0x0808080808, 0x0060600000, 0x0204081020, 0x3E4549513E, 0x00407F4200,
    0x4649494972, 0x334D494121, 0x107F121418, 0x3945454527, 0x3149494A3C, 0x0709112141,
    0x3649494936, 0x1E29494946, 0x0000140000, 0x0000344000, 0x4122140800, 0x1414141414,
    0x0814224100, 0x0609590102, 0x4E595D413E, 0x7C1211127C, 0x364949497F, 0x224141413E,
    0x3E4141417F, 0x414949497F, 0x010909097F, 0x735141413E, 0x7F0808087F, 0x00417F4100,
    0x013F414020, 0x412214087F, 0x404040407F, 0x7F021C027F, 0x7F1008047F, 0x3E4141413E,
    0x060909097F, 0x5E2151413E, 0x462919097F, 0x3249494926, 0x03017F0103, 0x3F4040403F,
    0x1F2040201F, 0x3F4038403F, 0x6314081463, 0x0304780403, 0x434D495961, 0x0041417F00,
    0x2010080402, 0x007F414100, 0x0402010204, 0x4040404040, 0x0008070300, 0x4078545420,
    0x384444287F, 0x2844444438, 0x7F28444438, 0x1854545438, 0x02097E0800, 0x789CA4A418,
    0x780404087F, 0x00407D4400, 0x003D404020, 0x004428107F, 0x00407F4100, 0x780478047C,
    0x780404087C, 0x3844444438, 0x18242418FC, 0xFC18242418, 0x080404087C, 0x2454545448,
    0x24443F0404, 0x7C2040403C, 0x1C2040201C, 0x3C4030403C, 0x4428102844, 0x7C9090904C,
    0x444C546444};
inline constexpr int letter_width = 6, letter_height = 9;

// Filled, or as an outline.
inline void rect(SDL_Renderer *to, const SDL_Rect &place, Colour colour, bool filled)
{
    SDL_SetRenderDrawColor(to, colour.red, colour.green, colour.blue, 255);
    filled ? SDL_RenderFillRect(to, &place) : SDL_RenderDrawRect(to, &place);
}

inline void circle(SDL_Renderer *to, int x, int y, int radius, Colour colour, bool filled)
{
    SDL_SetRenderDrawColor(to, colour.red, colour.green, colour.blue, 255);
    const auto half_at = [&](int row) {
        return static_cast<int>(std::lround(std::sqrt(radius * radius - row * row)));
    };
    for (int row = -radius; row <= radius; ++row) {
        const int half = half_at(row);
        if (filled) SDL_RenderDrawLine(to, x - half, y + row, x + half, y + row);
        if (filled) continue;
        for (const int sign : {-1, 1}) { // Once by rows and once by columns, so that it is closed.
            SDL_RenderDrawPoint(to, x + sign * half, y + row);
            SDL_RenderDrawPoint(to, x + row, y + sign * half);
        }
    }
}

// Each pixel of a letter becomes scale x scale pixels. The format is that of printf().
[[gnu::format(printf, 6, 7)]] inline void text(SDL_Renderer *to, int x, int y, int scale,
                                               Colour colour, const char *format, ...)
{
    char line[128] = {};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (const char *c = line; *c; ++c, x += letter_width * scale) {
        const int index = *c < ' ' || *c > 'z' ? 0 : *c - ' ';
        for (int bit = 0; bit < 40; ++bit)
            if (letters[index] >> bit & 1)
                rect(to, {x + bit / 8 * scale, y + bit % 8 * scale, scale, scale}, colour, true);
    }
}

struct Window {
    SDL_Window *window;
    SDL_Renderer *renderer; // Null: SDL2 shows no window, and SDL_GetError() has the reason.
    int width, height;
};

inline Window make_window(int width, int height)
{
    SDL_Window *window = nullptr;
    if (SDL_Init(SDL_INIT_VIDEO) == 0)
        window = SDL_CreateWindow("tern", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                                  height, 0);
    SDL_Renderer *renderer =
        window ? SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE) : nullptr;
    return {window, renderer, width, height};
}

inline void destroy_window(const Window &window)
{
    SDL_DestroyRenderer(window.renderer);
    SDL_DestroyWindow(window.window);
    SDL_Quit();
}

// Writes all that is drawn to a file. Call it before SDL_RenderPresent().
inline bool save(const Window &window, const char *path)
{
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, window.width, window.height, 32,
                                                          SDL_PIXELFORMAT_ARGB8888);
    if (!surface) return false;
    const bool saved = SDL_RenderReadPixels(window.renderer, nullptr, SDL_PIXELFORMAT_ARGB8888,
                                            surface->pixels, surface->pitch) == 0 &&
                       SDL_SaveBMP(surface, path) == 0;
    SDL_FreeSurface(surface);
    return saved;
}

}
