// Sweeps by the demon dynamics (sweep/demon_rule.hpp, sweep/demon_model_rule.hpp): compiled once per
// instruction set.
//
// Operations per 512 spins in three dimensions: 21 logic operations, 15 loads and 3 stores. A demon takes one
// random number: some three Philox calls of 120 operations per 512 lanes and demon_sites spins.

#include "sweep/cpu/demon_draw_simd.hpp"
#include "sweep/cpu/lattice_view_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"
#include "sweep/demon_model_rule.hpp"
#include "sweep/demon_rule.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Draws demons of one lattice group, of a purpose and with Count thresholds.
template <int Count>
class DemonSource {
    static constexpr int lanes = 16;                     ///< 32-lane groups of a 512-bit word
    alignas(64) std::uint32_t plane_[32][Count][lanes];  ///< of the thresholds: 0 or ~0
    alignas(64) std::uint32_t fields_[lanes], pack_[lanes];
    const PhiloxKeys keys_;
    std::uint32_t sweep_low_ = 0;
    const SweepTask& task_;

  public:
    /// first_threshold: of the task's thresholds.
    DemonSource(const SweepTask& task, Purpose purpose, int first_threshold) : keys_(task.key), task_(task) {
        for (int lane = 0; lane < lanes; ++lane) {
            pack_[lane] =
                make_counter(purpose, 0, 0, 0, 0, 0, task.first_realization / 32 + lane % 4).pack_purpose;
            for (int k = 0; k < 32; ++k)
                for (int c = 0; c < Count; ++c)
                    plane_[k][c][lane] =
                        0u - (task.thresholds[4 * (first_threshold + c) + lane / 4] >> (31 - k) & 1u);
        }
    }

    void begin(std::int64_t sweep) {
        sweep_low_ = static_cast<std::uint32_t>(sweep);
        for (int lane = 0; lane < lanes; ++lane)
            fields_[lane] =
                make_counter(Purpose{}, 0, sweep, task_.first_slot + lane / 4, task_.replica, 0, 0).fields;
    }

    /// Draws the demons of a chain by the number of its first site. below[c] gets set bits in the lanes
    /// whose number is below threshold c.
    void draw(std::uint32_t site, int reg, Word (&below)[Count]) const {
        const Native64 sites = broadcast64(site), sweep = broadcast64(sweep_low_);
        const Native64 pack = load32(pack_ + reg * word_lanes32).v,
                       all = load32(fields_ + reg * word_lanes32).v;
        draw_below(
            keys_,
            [&](int call, PhiloxLanes& even, PhiloxLanes& odd) {
                const Native64 fields =
                    all | broadcast32(make_counter(Purpose{}, 0, 0, 0, 0, call, 0).fields);
                even = {sites, sweep, fields, pack};
                odd = {sites, sweep, fields >> 32, pack >> 32};
            },
            [&](int k, int t) { return load32(plane_[k][t] + reg * word_lanes32); }, below);
    }
};

/// Finds the row of a half sweep's chains, and the words around a site.
struct ChainRow {
    const SweepTask& task;
    const Lattice& lattice;
    Row row;

    std::uint64_t* spins(int reg) const { return task.spins + reg * word_slots * 2; }
    LatticeView view(int reg) const {
        return {spins(reg), task.couplings, task.absent, 2 * lattice.colour_sites};
    }
    void set(int h, int reg, Word spin) const {
        store(spins(reg) + (row.own + h) * 2 * slots_per_word, spin);
    }
    template <int Degree, class Of>
    void words(int h, const Of& of, Word (&to)[Degree]) const {
        bond_words(row, h, lattice.length, of, to);
    }
};

/// Serves the chains of models without field and absent bonds.
template <int Degree>
class PlainDemons {
    DemonSource<max_demon> source_;

  public:
    using Energies = Demons<Word>;

    explicit PlainDemons(const SweepTask& task) : source_(task, Purpose::demon, 0) {}
    void begin(std::int64_t sweep) { source_.begin(sweep); }
    Energies draw(std::uint32_t site, int reg) const {
        Word below[max_demon];
        source_.draw(site, reg, below);
        return demons_of(below[0], below[1], below[2]);
    }
    void update(const ChainRow& at, int h, int reg, Energies& demons) const {
        const LatticeView view = at.view(reg);
        const Word own = view.spin(at.row.own + h);
        Word e[Degree];
        view.unsatisfied(at.row, own, h, at.lattice.length, e);
        at.set(h, reg, demon_updated_spin(own, e, demons));
    }
};

/// Draws a bit for the spins of a site that have neither bonds nor a field.
class IsolatedSource {
    static constexpr int lanes = 16;
    alignas(64) std::uint32_t fields_[lanes], pack_[lanes];
    alignas(64) std::uint32_t is_slot_[slots_per_word][lanes];  ///< 0 or ~0
    const PhiloxKeys keys_;
    std::uint32_t sweep_low_ = 0;
    const SweepTask& task_;

  public:
    explicit IsolatedSource(const SweepTask& task) : keys_(task.key), task_(task) {
        for (int lane = 0; lane < lanes; ++lane) {
            pack_[lane] =
                make_counter(Purpose::isolated_spin, 0, 0, 0, 0, 0, task.first_realization / 32 + lane % 4)
                    .pack_purpose;
            for (int slot = 0; slot < slots_per_word; ++slot)
                is_slot_[slot][lane] = slot == lane / 4 ? ~0u : 0u;
        }
    }
    void begin(std::int64_t sweep) {
        sweep_low_ = static_cast<std::uint32_t>(sweep);
        for (std::uint32_t& fields : fields_)
            fields = make_counter(Purpose{}, 0, sweep, task_.first_slot / 4, task_.replica, 0, 0).fields;
    }
    Word draw(std::uint32_t site, int reg) const {
        const Native64 sites = broadcast64(site), sweep = broadcast64(sweep_low_);
        const Native64 pack = load32(pack_ + reg * word_lanes32).v, fields = load32(fields_).v;
        PhiloxLanes c[2] = {{sites, sweep, fields, pack}, {sites, sweep, fields >> 32, pack >> 32}};
        run_rounds(0, philox_rounds - 1, c, keys_);
        Word word[4], bits{};
        last_round(c[0], c[1], keys_, word);
        for (int slot = 0; slot < slots_per_word; ++slot)
            bits = or_and(bits, word[slot], load32(is_slot_[slot] + reg * word_lanes32));
        return bits;
    }
};

/// Serves the chains of models with a field or absent bonds.
template <int Degree, bool Absent, bool Field>
class ModelDemons {
    using Rule = DemonRule<Degree, Absent, Field>;
    DemonSource<Rule::highest> source_;
    DemonSource<max_field_demon> field_source_;
    IsolatedSource isolated_source_;
    Word downward_{};

  public:
    using Energies = typename Rule::template Energies<Word>;

    explicit ModelDemons(const SweepTask& task)
        : source_(task, Purpose::demon, 0),
          field_source_(task, Purpose::field_demon, Field ? Rule::highest : 0),
          isolated_source_(task) {
        if (task.rule.downward) downward_ = ~downward_;
    }
    void begin(std::int64_t sweep) {
        source_.begin(sweep);
        if constexpr (Field) field_source_.begin(sweep);
        if constexpr (!Field) isolated_source_.begin(sweep);
    }
    Energies draw(std::uint32_t site, int reg) const {
        Word below[Rule::highest], of_field[max_field_demon]{};
        source_.draw(site, reg, below);
        if constexpr (Field) field_source_.draw(site, reg, of_field);
        return Rule::energies(below, of_field, downward_);
    }
    void update(const ChainRow& at, int h, int reg, Energies& demons) const {
        const LatticeView view = at.view(reg);
        const Word own = view.spin(at.row.own + h);
        Word near[Degree], bond[Degree], absent[Degree];
        at.words(
            h, [&](std::int64_t neighbour, int, std::int64_t) { return view.spin(neighbour); }, near);
        at.words(
            h, [&](std::int64_t, int direction, std::int64_t from) { return view.coupling(direction, from); },
            bond);
        if constexpr (!Absent) return at.set(h, reg, Rule::updated(own, near, bond, demons));
        if constexpr (Absent) {
            at.words(
                h,
                [&](std::int64_t, int direction, std::int64_t from) {
                    return view.is_absent(direction, from);
                },
                absent);
            const AbsentBonds<Word> a = absent_bonds(absent);
            Word free = ~Word{};
            if constexpr (!Field)
                if (any(a.isolated)) free = isolated_source_.draw(at.lattice.site(at.row, h), reg);
            at.set(h, reg, Rule::updated(own, near, bond, absent, a, free, demons));
        }
    }
};

/// Sweeps the chains of one segment and layer whose h is h_begin to h_end - 1.
template <class Rule>
void sweep_chains(const SweepTask& task, const Lattice& lattice, const DemonChains& chains, const Rule& rule,
                  int colour, int first_y, int first_z, int h_begin, int h_end) {
    typename Rule::Energies demons[chunk_sites][registers];
    const Row first = lattice.row(colour, first_y, first_z);
    for (int h = h_begin; h < h_end; ++h)
        for (int reg = 0; reg < registers; ++reg)
            demons[h - h_begin][reg] = rule.draw(lattice.site(first, h), reg);
    for (int z = first_z; z < first_z + chains.planes && z < chains.depth; ++z)
        for (int y = first_y; y < first_y + chains.rows && y < chains.L; ++y) {
            const ChainRow row{task, lattice, lattice.row(colour, y, z)};
            for (int h = h_begin; h < h_end; ++h)
#pragma GCC unroll 4
                for (int reg = 0; reg < registers; ++reg) rule.update(row, h, reg, demons[h - h_begin][reg]);
        }
}

template <class Rule>
void sweep_by(const SweepTask& task) {
    const Lattice lattice(task.lattice);
    const DemonChains chains = DemonChains::of(lattice.L, task.lattice.depth, task.rule.demon_sites);
    Rule rule(task);
    for (std::int64_t half = task.first_half_sweep; half < task.first_half_sweep + task.half_sweeps; ++half) {
        rule.begin(half / 2);
        for (int z = 0; z < chains.depth; z += chains.planes)
            for (int y = 0; y < chains.L; y += chains.rows)
                for (int h = 0; h < lattice.length; h += chunk_sites)
                    sweep_chains(task, lattice, chains, rule, static_cast<int>(half % 2), y, z, h,
                                 h + chunk_sites < lattice.length ? h + chunk_sites : lattice.length);
    }
}

template <int Degree>
void demon_sweep_of(const SweepTask& task) {
    if (task.rule.absent && task.rule.field)
        sweep_by<ModelDemons<Degree, true, true>>(task);
    else if (task.rule.absent)
        sweep_by<ModelDemons<Degree, true, false>>(task);
    else if (task.rule.field)
        sweep_by<ModelDemons<Degree, false, true>>(task);
    else
        sweep_by<PlainDemons<Degree>>(task);
}

}  // namespace

void demon_sweep(const SweepTask& task) {
    if (task.rule.degree == 6)
        demon_sweep_of<6>(task);
    else
        demon_sweep_of<4>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
