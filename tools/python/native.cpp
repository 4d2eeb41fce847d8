// Gives the Python package psflip (workflows/psflip/simulation) the samplers and measurements of the library.
// Arrays are C-contiguous NumPy arrays. Axes have the order of the library: spins are words of 64
// realizations (replica, temperature, pack64, [z,] y, x).
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "disorder/couplings.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "measure/measurement.hpp"
#include "run/batch.hpp"
#include "run/memory.hpp"
#include "run/run_loop.hpp"
#include "run/simulation.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace psflip {
namespace {

template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::numpy, nb::c_contig>;

template <class T>
std::vector<T> copied(const Input<T>& array) {
    return {array.data(), array.data() + array.size()};
}

/// Moves numbers into a NumPy array of this shape.
template <class T>
Output<T> array_of(std::vector<T> values, const std::vector<std::int64_t>& extents) {
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    T* data = held->data();
    const nb::capsule owner(held.get(),
                            [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    static_cast<void>(held.release());
    const std::vector<std::size_t> shape(extents.begin(), extents.end());
    return {data, shape.size(), shape.data(), owner};
}

/// Holds the lattices of a batch, their sampler and one bin for each of some measurements.
class Lattices {
  public:
    /// study: YAML text of a study with one lattice size. couplings: (realization, direction, [z,] y, x), +1,
    /// -1 and 0 as int8, or real numbers for model.couplings = gaussian. sweeps: number of sweeps to come.
    /// bins: number of measurements between two calls of collect(); 0 for none. exchange: whether
    /// temperatures are exchanged.
    template <class T>
    Lattices(const std::string& study, const Input<T>& couplings, std::int64_t first_realization,
             std::int64_t sweeps, int bins, bool exchange, const std::string& backend, int threads,
             int device)
        : parameters_(parameters_for(config_of_text(study, "psflip"), 0)), bins_(bins) {
        BackendChoice choice;
        choice.backend = backend;
        choice.threads = threads;
        choice.device = device;
        batch_.model = model_of(parameters_);
        batch_.shape =
            batch_shape(parameters_, first_realization, static_cast<std::int64_t>(couplings.shape(0)));
        batch_.threads = threads;
        check_shape(batch_.shape);
        MemoryNeeds needs = memory_needs(parameters_, batch_.shape, choice);
        needs.bins = bins;
        needs.histogram_bins = parameters_.run.histogram_bins;
        check_memory(needs, available_bytes());
        take(copied(couplings));
        BatchSetup setup = setup_of(parameters_, batch_, choice);
        setup.sweeps = sweeps;
        if (!exchange) setup.sweeps_per_swap = 0;
        simulation_ = make_simulation(setup, parameters_, bins);
        batch_.couplings = {};
    }

    /// Sets the spins, or random spins if there are none, and the number of completed sweeps.
    void start(const std::optional<Input<std::uint64_t>>& spins, std::int64_t completed) {
        const nb::gil_scoped_release unlocked;
        SimulationState state = batch_.random_start(parameters_);
        if (spins) state.spins.bits = copied(*spins);
        simulation_.set(state);
        Schedule schedule;
        schedule.start = completed;
        schedule.end = std::numeric_limits<std::int64_t>::max();
        schedule.sweeps_per_swap = parameters_.dynamics.sweeps_per_swap;
        loop_.emplace(*simulation_.sampler, nullptr, schedule, RunBins{});
    }

    /// Sweeps and exchanges up to `target` completed sweeps. Signals of Python are answered about four times
    /// a second. A handler that raises, as for Ctrl-C, ends the call.
    void advance(std::int64_t target) {
        if (!loop_) throw InputError("advance needs spins; call start first");
        LoopHooks hooks;
        hooks.stop_reason = []() -> const char* {
            const nb::gil_scoped_acquire locked;
            return PyErr_CheckSignals() == 0 ? nullptr : "signal";
        };
        const char* reason = nullptr;
        {
            const nb::gil_scoped_release unlocked;
            reason = loop_->advance_to(target, hooks);
        }
        if (reason != nullptr) throw nb::python_error();
    }

    void exchange(std::int64_t completed) {
        dynamic_cast<MoveSampler&>(*simulation_.sampler).apply_moves(completed);
    }
    void measure(int bin) {
        if (bin < 0 || bin >= bins_) throw InputError(fmt::format("bin = {} is not below {}", bin, bins_));
        simulation_.measurement->measure(bin);
    }

    /// Takes the sums of all bins, for sums(), and sets the bins to 0.
    void collect() {
        if (bins_ == 0) throw InputError("these lattices have no bins");
        sums_ = simulation_.measurement->accumulators();
        simulation_.measurement->set_accumulators(
            empty_accumulators(batch_.shape, sums_.measured, sums_.bins, sums_.histogram_bins));
    }

    /// Returns the names of the measured sums of sum_table (measure/sums.hpp).
    std::vector<std::string> names() const {
        const Measured measured = measured_of(batch_.model, parameters_.run.measures_magnetisation());
        std::vector<std::string> names;
        for (const SumInfo& row : sum_table)
            if (row.of(measured) && components_of(row.per, batch_.shape.replicas, measured) > 0)
                names.emplace_back(row.name);
        return names;
    }
    /// Returns one of these sums, (bin, component, temperature, realization).
    std::variant<Output<std::int64_t>, Output<double>> sums(const std::string& name) const {
        for (const SumInfo& row : sum_table) {
            if (row.name != name || !row.of(sums_.measured)) continue;
            const auto number = static_cast<int>(row.sum);
            const std::vector<std::int64_t> extents{sums_.bins, sums_.components(row.sum), sums_.temperatures,
                                                    sums_.realizations};
            if (is_integer(row.sum, sums_.measured)) return array_of(sums_.integers[number], extents);
            return array_of(sums_.reals[number], extents);
        }
        throw InputError("there is no sum " + name);
    }

    Output<std::uint64_t> spins() const {
        return array_of(simulation_.sampler->ensemble().held_spins().bits, canonical_extents(batch_.shape));
    }
    /// Returns the number of accepted exchanges, (realization, replica, pair of neighbouring temperatures).
    Output<std::int64_t> accepted() const {
        const Shape& shape = batch_.shape;
        return array_of(tempering_of(simulation_.sampler->state()).accepted,
                        {shape.realizations, shape.replicas, shape.temperatures - 1});
    }
    /// Returns the number of attempted exchanges, (pair of neighbouring temperatures).
    Output<std::int64_t> attempted() const {
        return array_of(tempering_of(simulation_.sampler->state()).attempted,
                        {batch_.shape.temperatures - 1});
    }
    std::string description() const { return simulation_.sampler->ensemble().description(); }

  private:
    void take(std::vector<std::int8_t> couplings) {
        const Shape& shape = batch_.shape;
        Disorder disorder{shape.first_realization, shape.realizations, shape.L, std::move(couplings),
                          shape.dimension};
        disorder.bonds.add<std::int8_t>(0, disorder.couplings, shape.dimension, shape.L);
        check_first_realization(shape.first_realization, shape.share);
        couplings_origin("couplings", disorder, {parameters_.seed, batch_.model, shape.L}, shape.share);
        batch_.couplings = std::move(disorder.couplings);
    }
    void take(std::vector<double> couplings) {
        batch_.vectors = vector_setup_of(parameters_);
        batch_.vectors->first_realization = batch_.shape.first_realization;
        batch_.vectors->realizations = batch_.shape.realizations;
        batch_.vectors->couplings = std::move(couplings);
        check_setup(*batch_.vectors);
    }

    Parameters parameters_;
    int bins_;
    Batch batch_;
    Simulation simulation_;
    std::optional<RunLoop> loop_;
    Accumulators sums_{};
};

/// Raises errors of the library as psflip.StudyError.
void raise_study_error(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        const nb::object type = nb::module_::import_("psflip.campaign.errors").attr("StudyError");
        PyErr_SetString(type.ptr(), error.what());
    }
}

template <class T>
void add_constructor(nb::class_<Lattices>& lattices) {
    lattices.def(nb::init<const std::string&, const Input<T>&, std::int64_t, std::int64_t, int, bool,
                          const std::string&, int, int>(),
                 "study"_a, "couplings"_a, "first_realization"_a, "sweeps"_a, "bins"_a, "exchange"_a,
                 "backend"_a, "threads"_a, "device"_a, nb::call_guard<nb::gil_scoped_release>());
}

NB_MODULE(_native, module) {  // NOLINT(performance-unnecessary-value-param): the macro makes the parameter
    start_log("error");
    nb::register_exception_translator(raise_study_error);
    module.doc() = "The library of psflip, for psflip.simulation.";
    nb::class_<Lattices> lattices(module, "Lattices",
                                  "Lattices of a batch with their sampler and measurements.");
    add_constructor<std::int8_t>(lattices);
    add_constructor<double>(lattices);
    const nb::call_guard<nb::gil_scoped_release> unlocked;
    lattices
        .def("start", &Lattices::start, "spins"_a.none(), "completed"_a,
             "Set the spins, or random spins for None, and the number of completed sweeps.")
        .def("advance", &Lattices::advance, "target"_a, "Sweep and exchange up to this number of sweeps.")
        .def("exchange", &Lattices::exchange, "completed"_a, unlocked,
             "Exchange temperatures as after this number of sweeps.")
        .def("measure", &Lattices::measure, "bin"_a, unlocked, "Measure all lattices and add to this bin.")
        .def("collect", &Lattices::collect, unlocked, "Take the sums of all bins and set the bins to 0.")
        .def("sums", &Lattices::sums, "name"_a,
             "Return the taken sums (bin, component, temperature, realization).")
        .def("spins", &Lattices::spins,
             "Return the spins as words (replica, temperature, pack64, [z,] y, x).")
        .def("accepted", &Lattices::accepted, "Return the accepted exchanges (realization, replica, pair).")
        .def("attempted", &Lattices::attempted, "Return the attempted exchanges (pair).")
        .def_static("available_bytes", &available_bytes, "Return the bytes that this process may still take.")
        .def_prop_ro("names", &Lattices::names, "Names of the measured sums.")
        .def_prop_ro("description", &Lattices::description, "Backend, device and kernel.");
}

}  // namespace
}  // namespace psflip
