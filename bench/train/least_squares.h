// Weighted least squares with a few unknowns.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace bench::train {

template <size_t count> struct LeastSquares {
    double products[count][count] = {};
    double targets[count] = {};
    double weight = 0;
};

template <size_t count>
void add(LeastSquares<count> &ls, const double (&x)[count], double y, double weight)
{
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < count; ++k)
            ls.products[i][k] += weight * x[i] * x[k];
        ls.targets[i] += weight * x[i] * y;
    }
    ls.weight += weight;
}

// Gauss-Jordan elimination. A small pull towards zero decides whatever the samples leave
// undetermined.
template <size_t count> std::array<double, count> solution(const LeastSquares<count> &ls)
{
    double rows[count][count + 1];
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < count; ++k)
            rows[i][k] = ls.products[i][k];
        rows[i][i] += 1e-4 * ls.products[i][i] + 1e-9;
        rows[i][count] = ls.targets[i];
    }
    for (size_t i = 0; i < count; ++i) {
        size_t pivot = i;
        for (size_t k = i + 1; k < count; ++k)
            if (std::fabs(rows[k][i]) > std::fabs(rows[pivot][i])) pivot = k;
        std::swap(rows[i], rows[pivot]);
        for (size_t k = 0; k < count; ++k) {
            if (k == i) continue;
            const double factor = rows[k][i] / rows[i][i];
            for (size_t j = i; j <= count; ++j)
                rows[k][j] -= factor * rows[i][j];
        }
    }
    std::array<double, count> found;
    for (size_t i = 0; i < count; ++i)
        found[i] = rows[i][count] / rows[i][i];
    return found;
}

}
