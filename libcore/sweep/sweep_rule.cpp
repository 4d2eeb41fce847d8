#include "sweep/sweep_rule.hpp"

#include <cmath>

#include "model/class_table.hpp"
#include "model/model.hpp"
#include "model/thresholds.hpp"
#include "sweep/clusters/cluster_rule.hpp"

namespace psflip {
namespace {

/// The thresholds of one temperature, in the order of SweepRule::thresholds.
struct Column {
    std::vector<std::uint32_t> thresholds, always;

    void add(std::uint32_t threshold, bool is_always = false) {
        thresholds.push_back(threshold);
        always.push_back(is_always ? ~0u : 0u);
    }
};

Column plain_column(const SweepRule& rule, double beta) {
    const Thresholds t = metropolis_thresholds(beta);
    Column column;
    column.add(t.c4);
    column.add(t.c8);
    if (rule.degree == 6) column.add(t.c12);
    return column;
}

Column demon_column(const Model& model, const SweepRule& rule, double beta) {
    Column column;
    const auto add = [&column](const auto& thresholds) {
        for (const std::uint32_t threshold : thresholds) column.add(threshold);
    };
    if (rule.absent)
        add(demon_thresholds<max_bond_demon>(2.0 * beta));
    else
        add(demon_thresholds<max_demon>(4.0 * beta));
    if (rule.field) add(demon_thresholds<max_field_demon>(2.0 * beta * std::abs(model.field)));
    return column;
}

Column cluster_column(double beta) {
    Column column;
    column.add(bond_threshold(beta));
    return column;
}

Column class_column(const Model& model, const SweepRule& rule, double beta) {
    const ClassTable table(model, beta, rule.absent ? Classes::with_absent : Classes::unsatisfied);
    Column column;
    for (int s = -1; s <= (rule.field ? 1 : -1); s += 2) {
        const ClassTable::List& list = table.thresholds(s);
        for (int v = 0; v < rule.classes(); ++v)
            column.add(v < list.count ? list.threshold[v] : 0, v >= list.count);
    }
    if (rule.absent && !rule.field) column.add(isolated_threshold, !table.isolated_by_half());
    return column;
}

Column column_of(const Model& model, const SweepRule& rule, double beta) {
    if (rule.has_demons()) return demon_column(model, rule, beta);
    if (rule.has_clusters()) return cluster_column(beta);
    return rule.plain ? plain_column(rule, beta) : class_column(model, rule, beta);
}

}  // namespace

SweepRule sweep_rule(const Model& model, bool absent_bonds) {
    SweepRule rule;
    rule.degree = model.degree();
    rule.plain = model.field == 0.0 && model.update == Update::metropolis && !absent_bonds;
    rule.field = model.field != 0.0;
    rule.demon_sites = model.demon_sites;
    rule.absent = rule.has_demons() ? model.has_absent_bonds() : absent_bonds;
    rule.downward = model.field < 0.0;
    rule.swendsen_wang = model.update == Update::swendsen_wang;
    rule.wolff_clusters = model.update == Update::wolff ? model.wolff_clusters : 0;
    return rule;
}

bool exchanges_by_table(const Model& model, const SweepRule& rule) {
    return model.uses_plain_seed() && rule.plain;
}

AcceptanceTable acceptance_table(const Model& model, const SweepRule& rule, const std::vector<double>& betas,
                                 int slots) {
    const std::size_t each = rule.thresholds(), group = slots, groups = (betas.size() + group - 1) / group;
    AcceptanceTable table;
    table.thresholds.assign(groups * each * group, 0);
    for (std::size_t slot = 0; slot < betas.size(); ++slot) {
        const Column column = column_of(model, rule, betas[slot]);
        for (std::size_t i = 0; i < each; ++i)
            table.thresholds[(slot / group * each + i) * group + slot % group] = column.thresholds[i];
        table.always = column.always;  // equal at all temperatures
    }
    return table;
}

}  // namespace psflip
