#include "sweep/replicas/replica_kernels.hpp"

namespace psflip {

ReplicaTables::ReplicaTables(const ReplicaLayout& layout, const AcceptanceTable& acceptance, int thresholds) {
    const int words = layout.words(), period = layout.period(), most = ReplicaLayout::max_words;
    late.assign(std::size_t{32} * thresholds * most, 0);
    std::uint32_t lanes_of_word[ReplicaLayout::max_words] = {};
    for (int lane = 0; lane < layout.lanes(); ++lane) {
        lanes_of_word[lane / 32] |= 1u << lane % 32;
        for (int plane = 0; plane < 32; ++plane)
            for (int i = 0; i < thresholds; ++i) {
                const std::uint32_t threshold =
                    acceptance.thresholds[i * layout.temperatures + lane % layout.temperatures];
                late[(plane * thresholds + i) * most + lane / 32] |= (threshold >> (31 - plane) & 1u)
                                                                     << lane % 32;
            }
    }
    for (int i = 0; i < period; ++i) {
        word.push_back(i % words);
        site.push_back(2 * (i / words));
        used.push_back(lanes_of_word[i % words]);
    }
    for (int first = 0; first < period; first += ReplicaLayout::unit)
        for (int row = 0; row < early_planes * thresholds; ++row)
            for (int i = first; i < first + ReplicaLayout::unit; ++i)
                early.push_back(late[row * most + i % words]);
}

int own_thresholds(const SweepRule& rule) {
    return rule.plain || rule.has_demons() ? rule.thresholds() : rule.classes() * (rule.field ? 2 : 1);
}

std::uint32_t always_bits(const AcceptanceTable& acceptance) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < acceptance.always.size(); ++i) bits |= (acceptance.always[i] & 1u) << i;
    return bits;
}

}  // namespace psflip
