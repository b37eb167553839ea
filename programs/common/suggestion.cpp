#include "suggestion.h"
#include <algorithm>
#include <vector>

namespace suggestion {

// The edit distance: insertions, deletions, replacements (Levenshtein) and swaps of neighbours.
static size_t distance(std::string_view a, std::string_view b)
{
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t k = 0; k <= b.size(); ++k)
        last[k] = k;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t k = 1; k <= b.size(); ++k) {
            const size_t replaced = last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
            row[k] = std::min({last[k] + 1, row[k - 1] + 1, replaced});
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = std::min(row[k], before[k - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names)
{
    // Longer words are not misspelled names, and slow to compare.
    constexpr size_t looked_at_max = 64;
    if (word.size() > looked_at_max) return "";
    std::string_view nearest;
    size_t least = 1 + std::max<size_t>(1, word.size() / 3);
    for (std::string_view name : names) {
        // A prefix of a name, or a name with a suffix, counts as near.
        const bool is_part = word.size() >= 3 && (name.starts_with(word) || word.starts_with(name));
        const size_t far = is_part ? 1 : distance(word, name);
        if (far >= least) continue;
        least = far;
        nearest = name;
    }
    if (nearest.empty()) return "";
    return " (did you mean \"" + std::string(nearest) + "\"?)";
}

}
