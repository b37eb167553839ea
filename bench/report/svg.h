// Bar and line charts as SVG, readable on light and on dark pages.
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
    std::vector<BarPiece> pieces; // Drawn one after the other.
    std::string text;             // Printed at the end of the bar.
};

struct BarPanel {
    std::string title;
    std::vector<Bar> bars;
    double mark; // Position of a line across all bars; 0: none.
    double most; // Value at the full width; longer bars are cut. 0: the longest bar.
};

struct Line2d {
    std::string label;
    const char *ink;
    std::vector<double> x, y;
};

struct Key { // A line of the legend: the meaning of an ink.
    const char *ink;
    std::string label;
};

namespace svg {

std::string join(std::initializer_list<std::string_view> parts);

// Draws the panels below each other. Screen readers read the title.
std::string bars(const std::string &title, const std::vector<BarPanel> &panels,
                 const std::vector<Key> &keys);
std::string lines(const std::string &title, const std::string &x_title,
                  const std::vector<Line2d> &lines);

}
}
