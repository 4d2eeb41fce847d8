#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace psflip {

int distance(const std::string& a, const std::string& b) {
    std::vector<int> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

std::string nearest_name(const std::string& word, std::span<const std::string> names) {
    std::string nearest;
    int least = 1 + static_cast<int>(word.size()) / 3;
    for (const std::string& name : names) {
        const int d = distance(word, name);
        if (d < least) {
            least = d;
            nearest = name;
        }
    }
    return nearest;
}

}  // namespace psflip
