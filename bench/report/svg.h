// Bars and lines as SVG, readable on light and on dark pages.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct BarPiece {
    double value;
    const char *ink; // A class of svg.cpp's style: tern, enet, plain, met, missed, part0 to part3.
};

struct Bar {
    std::string label;
    std::vector<BarPiece> pieces; // One behind the other.
    std::string text;             // At its end.
};

struct BarPanel {
    std::string title;
    std::vector<Bar> bars;
    double mark; // A line across all bars; 0: none.
    double most; // What the whole width is; longer bars are cut. 0: the longest.
};

struct Line2d {
    std::string label;
    const char *ink;
    std::vector<double> x, y;
};

struct Key { // What an ink stands for.
    const char *ink;
    std::string label;
};

namespace svg {

std::string join(std::initializer_list<std::string_view> parts);

// One below the other. The title is what a screen reader says.
std::string bars(const std::string &title, const std::vector<BarPanel> &panels,
                 const std::vector<Key> &keys);
std::string lines(const std::string &title, const std::string &x_title,
                  const std::vector<Line2d> &lines);

}
}
