#include "reference/case_coverage.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

namespace psflip::reference {

void require_distinct_names(const std::vector<Case>& cases) {
    std::set<std::string> names;
    for (const Case& which : cases)
        if (!names.insert(which.name).second) throw std::logic_error("two cases are named " + which.name);
}

void require_sizes(const std::vector<Case>& cases, int dimension, const std::vector<int>& sizes) {
    std::set<std::pair<int, int>> found;  // L and share
    for (const Case& which : cases)
        if (which.world.dimension == dimension) found.insert({which.world.L, which.world.share});
    for (const int L : sizes)
        for (const int share : {1, 32, 64, 128})
            if (found.count({L, share}) == 0)
                throw std::logic_error("no case has L = " + std::to_string(L) +
                                       ", share = " + std::to_string(share) +
                                       " in dimension = " + std::to_string(dimension));
}

void require_rules(const std::vector<Case>& cases) {
    std::set<std::tuple<int, bool, bool, bool, bool>> found;  // dimension, field, absent, heat bath, share 1
    for (const Case& which : cases) {
        const World& w = which.world;
        const bool has_field = w.field != 0.0, has_absent = w.open || w.p_absent > 0.0;
        if (w.dimension == 3 && !w.ferromagnet && !has_field && !has_absent && !w.heat_bath)
            throw std::logic_error("the first model is among the others: " + which.name);
        found.insert({w.dimension, has_field, has_absent, w.heat_bath, w.share == 1});
    }
    if (found.size() != 32)
        throw std::logic_error("of 32 combinations of rules the cases have " + std::to_string(found.size()));
}

}  // namespace psflip::reference
