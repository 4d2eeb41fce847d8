#include "model/class_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "model/model.hpp"
#include "model/thresholds.hpp"

namespace psflip {

double flip_cost(const Model& model, int v, int s) {
    return 2.0 * (model.degree() - v) + 2.0 * model.field * s;
}

std::uint32_t heat_bath_threshold(double x) {
    const double small = std::exp(-std::abs(x));  // 0..1
    const double scaled = std::round(4294967296.0 * (x > 0.0 ? small : 1.0) / (1.0 + small));
    return scaled >= 4294967295.0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(scaled);
}

ClassTable::ClassTable(const Model& model, double beta, Classes classes)
    : classes_((classes == Classes::with_absent ? 2 : 1) * model.degree() + 1),
      isolated_by_half_(model.update == Update::metropolis && model.field == 0.0) {
    check_model(model);
    if (model.update == Update::demon) throw InputError("update = demon has no table of classes");
    if (!(beta >= 0.0 && std::isfinite(beta)))
        throw InputError(fmt::format("beta = {} is not a finite number from 0 on", beta));
    for (int s : {-1, +1}) {
        List& list = list_[s > 0];
        for (int c = 0; c < classes_; ++c) {
            const double cost = flip_cost(model, classes == Classes::with_absent ? c : 2 * c, s);
            if (model.update == Update::metropolis && cost <= 0.0) break;
            list.threshold[list.count++] = model.update == Update::metropolis
                                               ? acceptance_threshold(beta * cost)
                                               : heat_bath_threshold(beta * cost);
        }
    }
}

int ClassTable::v_min(std::uint32_t R, int s) const {
    const List& list = thresholds(s);
    int passed = 0;
    while (passed < list.count && R >= list.threshold[passed]) ++passed;
    return passed;
}

}  // namespace psflip
