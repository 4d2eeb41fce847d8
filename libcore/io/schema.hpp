#pragma once

/// Lists all names in psflip's HDF5 files. Comments give the type of each value. R is the number of
/// realizations. Files describe each dataset by the attributes unit, doc and axes. Their texts come from the
/// tables of disorder/disorder_file.cpp, run/run_datasets.cpp, statistics/thermal/observables_datasets.cpp,
/// statistics/reduce/reduced_datasets.cpp and tuning/ladder_file.cpp.
namespace psflip::schema {

inline constexpr const char* format_name = "psflip";

// Kinds (root attribute `kind`).
inline constexpr const char* disorder = "disorder";
inline constexpr const char* state = "state";
inline constexpr const char* checkpoint = "checkpoint";
inline constexpr const char* run = "run";
inline constexpr const char* observables = "observables";
inline constexpr const char* reduced = "reduced";
inline constexpr const char* ladder = "ladder";
inline constexpr const char* relaxation = "relaxation";

// Root attributes.
inline constexpr const char* format = "format";                      ///< text, "psflip"
inline constexpr const char* kind = "kind";                          ///< text
inline constexpr const char* format_version = "format_version";      ///< integer
inline constexpr const char* physics_version = "physics_version";    ///< integer
inline constexpr const char* analysis_version = "analysis_version";  ///< integer; absent: 1
inline constexpr const char* sealed =
    "sealed";  ///< integer, 1 if psflip sealed the file (seal.hpp); absent in files from other programs
inline constexpr const char* first_realization =
    "first_realization";  ///< integer, number of the first realization in the study
inline constexpr const char* realizations = "realizations";  ///< integer, R
inline constexpr const char* size = "L";                     ///< integer
inline constexpr const char* seed = "seed";                  ///< integer, seed of the study
inline constexpr const char* p_ferro = "p_ferro";            ///< real, probability of J = +1
// The attributes from model to update are present only if they differ from the values of the cubic, periodic
// glass with metropolis.
inline constexpr const char* model = "model";          ///< text, edwards-anderson, ferromagnet or heisenberg
inline constexpr const char* dimension = "dimension";  ///< integer, 2 or 3
inline constexpr const char* field = "field";          ///< real, h
inline constexpr const char* p_absent = "p_absent";    ///< real, probability of J = 0
inline constexpr const char* boundary = "boundary";    ///< text, periodic or open
inline constexpr const char* update = "update";        ///< text, value of dynamics.update

inline constexpr const char* physics = "physics";                ///< text, Parameters::physics_yaml()
inline constexpr const char* couplings_hash = "couplings_hash";  ///< text, 16 hex digits
inline constexpr const char* couplings_origin =
    "couplings_origin";  ///< text, only if gen-disorder did not draw the couplings (disorder/couplings.hpp)
inline constexpr const char* run_first = "run_first";  ///< integer, sweeps since run_start
inline constexpr const char* run_last = "run_last";    ///< integer, sweeps since run_start
// The grid of time blocks (measure/run_grid.hpp), all integers.
inline constexpr const char* grid_base = "grid_base";  ///< sweeps
inline constexpr const char* grid_blocks = "run.blocks";
inline constexpr const char* grid_measure_every = "run.measure_every";  ///< sweeps
inline constexpr const char* grid_histogram_bins = "run.histogram_bins";

// Text attributes of every dataset (io/dataset_info.hpp). psflip does not read them.
inline constexpr const char* unit = "unit";
inline constexpr const char* doc =
    "doc";  ///< description with formula; also of groups and of the root (io/file_doc.hpp)
inline constexpr const char* axes = "axes";  ///< names of the axes in order, separated by ", "

// Provenance: a group of text attributes.
inline constexpr const char* provenance = "/provenance";
// Numbers in /provenance of files from thermalize and pt-run.
inline constexpr const char* flips = "flips";                ///< real, proposed spin flips in all calls
inline constexpr const char* wall_seconds = "wall_seconds";  ///< real, of all calls
inline constexpr const char* calls = "calls";                ///< integer, 1 without interruptions
inline constexpr const char* gpu_energy_joules = "gpu_energy_joules";  ///< real, absent without NVML
inline constexpr const char* slurm_job_id = "slurm_job_id";            ///< text, "4711" or "4711,4712"

// disorder
inline constexpr const char* couplings = "/couplings";    ///< int8
inline constexpr const char* occupation = "/occupation";  ///< uint8, vector spins
inline constexpr const char* law = "law";                 ///< text, Parameters::model_yaml(), vector spins

// state, checkpoint
inline constexpr const char* spins = "/spins";                  ///< uint64; vector spins: float32 or float64
inline constexpr const char* moves_width = "/moves/width";      ///< float64, vector spins
inline constexpr const char* moves_renewed = "/moves/renewed";  ///< int64, vector spins
inline constexpr const char* sweep = "/sweep";                  ///< int64
inline constexpr const char* run_start = "/run_start";          ///< int64
inline constexpr const char* tempering_walker = "/tempering/walker";      ///< uint8
inline constexpr const char* tempering_last_end = "/tempering/last_end";  ///< uint8

// state, checkpoint, run
inline constexpr const char* tempering_accepted = "/tempering/accepted";        ///< int64
inline constexpr const char* tempering_attempted = "/tempering/attempted";      ///< int64
inline constexpr const char* tempering_round_trips = "/tempering/round_trips";  ///< int64

// state, checkpoint, run, observables: only with Houdayer moves
inline constexpr const char* houdayer_moves = "/houdayer/moves";        ///< int64
inline constexpr const char* houdayer_clusters = "/houdayer/clusters";  ///< int64
inline constexpr const char* houdayer_sites = "/houdayer/sites";        ///< int64

// run: accumulators, sums over the measurements of a time block
inline constexpr const char* blocks_group = "/blocks";  ///< blocks of the grid
inline constexpr const char* edges = "edges";           ///< int64
inline constexpr const char* count = "count";           ///< int64
// The group also has the sums of measure/sums.hpp.
inline constexpr const char* temperatures = "/temperatures";            ///< float64
inline constexpr const char* histogram_overlap = "/histogram/overlap";  ///< uint32
inline constexpr const char* histogram_link = "/histogram/link";        ///< uint32
// Lowest energies at the coldest temperature; +3N without a measurement.
inline constexpr const char* lowest_energy = "/lowest/energy";          ///< int64
inline constexpr const char* lowest_count = "/lowest/count";            ///< int64
inline constexpr const char* lowest_first_half = "/lowest/first_half";  ///< int64, in files of observables
inline constexpr const char* snapshots_spins = "/snapshots/spins";      ///< uint64
inline constexpr const char* snapshots_sweep = "/snapshots/sweep";      ///< int64
inline constexpr const char* moves_acceptance = "/moves/acceptance";    ///< float64, vector spins
// After the end of a run, the hottest slot continues without exchange. These datasets compare its spins with
// the end of the run. They are absent with one temperature.
inline constexpr const char* hottest_sweeps = "/hottest/sweeps";            ///< int64
inline constexpr const char* hottest_correlation = "/hottest/correlation";  ///< int64

// relaxation. The state at its end also has the text relax, and the spins at waiting times as snapshots.
inline constexpr const char* relax_lines = "relax";        ///< text, times and temperatures
inline constexpr const char* relax_first = "relax_first";  ///< integer, sweeps since the start
inline constexpr const char* relax_last = "relax_last";    ///< integer, sweeps since the start
inline constexpr const char* relax_times = "/times";       ///< int64
inline constexpr const char* relax_factors = "/factors";   ///< float64
inline constexpr const char* relax_fields = "/fields";     ///< float64, vector spins
inline constexpr const char* relax_waiting = "/waiting";   ///< int64, absent without waiting times
inline constexpr const char* relaxation_group =
    "/relaxation";  ///< sums of measure/sums.hpp, one entry per measurement

// observables
inline constexpr const char* discard = "run.discard";           ///< real, discarded fraction of the run
inline constexpr const char* averaged_from = "averaged_from";   ///< integer, sweeps since run_start
inline constexpr const char* measurements = "measurements";     ///< integer, number of averaged measurements
inline constexpr const char* log2_group = "/log2";              ///< means in the bins of the log2 test
inline constexpr const char* realization = "/realization";      ///< int64
inline constexpr const char* bonds = "/bonds";                  ///< int64, number of present bonds
inline constexpr const char* mean_group = "/mean";              ///< float64
inline constexpr const char* error_group = "/error";            ///< float64
inline constexpr const char* shared_group = "/shared";          ///< float64
inline constexpr const char* covariance_group = "/covariance";  ///< float64, only with one realization
inline constexpr const char* tau_group = "/tau";                ///< float64
inline constexpr const char* tau_blocks = "/tau/blocks";        ///< int32
inline constexpr const char* tau_too_short = "/tau/too_short";  ///< uint8
inline constexpr const char* tau_walk = "/tau/walk";            ///< float64, absent with one temperature
inline constexpr const char* equilibrated = "/equilibration/equilibrated";                       ///< uint8
inline constexpr const char* moved = "/equilibration/moved";                                     ///< uint8
inline constexpr const char* equilibration_test = "/equilibration@test";                         ///< text
inline constexpr const char* equilibration_basis = "/equilibration@basis";                       ///< text
inline constexpr const char* min_walk_times = "/equilibration@min_walk_times";                   ///< real
inline constexpr const char* max_deviation = "/equilibration/max_deviation";                     ///< float64
inline constexpr const char* worst_temperature = "/equilibration/worst_temperature";             ///< int32
inline constexpr const char* hottest_memory_sweeps = "/equilibration/hottest_sweeps";            ///< int64
inline constexpr const char* hottest_memory_correlation = "/equilibration/hottest_correlation";  ///< float64
inline constexpr const char* hottest_memory_square = "/equilibration/hottest_square";            ///< float64
inline constexpr const char* hottest_memory_time = "/equilibration/hottest_time";                ///< float64
inline constexpr const char* swap_rate = "/tempering/swap_rate";                                 ///< float64
inline constexpr const char* tempering_sweeps = "/tempering/sweeps";                             ///< int64

// ladder: groups /round0 (the ladder of the study), /round1, ... with the attributes round_trips (per sweep,
// over all walkers of one replica of one realization), round_trips_error and round_trips_per_walker. Root
// attributes: rounds (how many), constant (the round with equal acceptances) and chosen (the round of the
// result).
inline constexpr const char* ladder_target =
    "target_acceptance";  ///< real; absent if the number of temperatures was given
inline constexpr const char* ladder_acceptance = "/acceptance";                   ///< float64
inline constexpr const char* ladder_acceptance_error = "/acceptance_error";       ///< float64
inline constexpr const char* ladder_cold_fraction = "/cold_fraction";             ///< float64
inline constexpr const char* ladder_diffusivity = "/diffusivity";                 ///< float64
inline constexpr const char* ladder_choice_count = "/choices/count";              ///< int64
inline constexpr const char* ladder_choice_acceptance = "/choices/acceptance";    ///< float64
inline constexpr const char* ladder_choice_round_trips = "/choices/round_trips";  ///< float64

// reduced
inline constexpr const char* jackknife = "jackknife";  ///< group in the group of a size, of float64 datasets
inline constexpr const char* jackknife_groups = "/jackknife_groups";  ///< int32

}  // namespace psflip::schema
