#include "fuzz/file_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "audit/audit.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "bench/benchmark_file.hpp"
#include "disorder/couplings.hpp"
#include "disorder/occupation.hpp"
#include "fuzz/damage.hpp"
#include "io/file.hpp"
#include "io/hash.hpp"
#include "io/output/writer_lock.hpp"
#include "io/path_list.hpp"
#include "io/schema.hpp"
#include "model/model.hpp"
#include "run/chunk.hpp"
#include "run/run.hpp"
#include "statistics/reduce/reduce.hpp"
#include "statistics/thermal/analyse_run.hpp"
#include "statistics/thermal/run_input.hpp"
#include "tuning/tune_ladder.hpp"

namespace psflip::fuzz {
namespace {

constexpr const char* study_text =
    "seed: 5\nthermalize: {sweeps: 12}\n"
    "run: {sweeps: 64, measure_every: 8, blocks: 4, snapshots: 2, histogram_bins: 8}\n"
    "relax: {last: 16, per_decade: 4, waiting: [0, 4]}\n";
constexpr const char* small_lattices =
    "lattice: {L: 4}\ndisorder: {realizations: 32, batch: 32}\n"
    "temperatures: {list: [0.9, 1.3, 1.9]}\ndynamics: {sweeps_per_swap: 4}\n";
constexpr const char* large_lattices =
    "lattice: {L: 64}\ndisorder: {realizations: 2, batch: 2}\n"
    "temperatures: {list: [2.2, 2.4]}\ndynamics: {sweeps_per_swap: 4}\n";
constexpr const char* vector_lattices =
    "lattice: {L: 4}\ndisorder: {realizations: 3, batch: 3}\n"
    "temperatures: {list: [0.9, 1.3, 1.9]}\ndynamics: {sweeps_per_swap: 4, update: cone}\n"
    "model: {kind: heisenberg, concentration: 0.3, dm_pattern: constant, dm: [0.1, 0, 0.2],\n"
    "        anisotropy: [0, 0.2], moments: [1, 2], field: 0.2}\n";

/// What a model adds to that text, and some of the datasets of its observables.
struct StudyModel {
    std::string prefix;  ///< of the names of its files
    std::string text;
    std::vector<std::string> observables;
    bool relaxes = true;  ///< relax takes it; of vectors tune-ladder does not either
};

const std::vector<StudyModel>& models() {
    static const std::string small = small_lattices;
    static const std::vector<StudyModel> all = {
        {"",
         small + "multispin: {share: 32}\n",
         {"/mean/energy", "/mean/q2", "/error/q_link", "/shared/energy", "/tau/walk", "/log2/q2"}},
        {"ferromagnet-",
         small + "multispin: {share: 1}\nmodel: {kind: ferromagnet, dimension: 2}\n",
         {"/mean/energy", "/mean/m_kmin_dbeta", "/error/m2", "/tau/m2", "/log2/m2"}},
        {"field-",
         small + "multispin: {share: 32}\nmodel: {field: 0.3}\nreplicas: 4\n",
         {"/mean/replicon", "/mean/q2_product", "/error/m", "/shared/replicon_kmin", "/tau/q2", "/log2/q2"}},
        {"diluted-",
         small + "multispin: {share: 32}\nmodel: {p_absent: 0.3, boundary: open}\n",
         {"/mean/energy", "/mean/q_link", "/error/q2", "/shared/q2", "/tau/walk", "/log2/q_link"},
         false},
        {"sites-",
         large_lattices +
             std::string("multispin: {lanes: sites}\nmodel: {kind: ferromagnet, dimension: 2}\n"),
         {"/mean/energy", "/mean/m_kmin_dbeta", "/error/m2", "/tau/m2", "/log2/m2"}},
        {"vector-",
         vector_lattices,
         {"/mean/energy", "/mean/energy_dm", "/mean/ms2", "/error/m2", "/tau/m2", "/log2/m2"},
         false}};
    return all;
}

/// The study that the files belong to, and the folder of the files.
struct Study {
    Study(const std::string& where, const StudyModel& of)
        : folder(where + "/"), prefix(of.prefix), observables(of.observables), relaxes(of.relaxes) {
        config = load_config(path("study.yaml"));
        parameters = parameters_for(config, config.sizes.front());
        options.backend = {"cpu", 1, 0};
        options.progress = ProgressMode::off;
        options.provenance.program = "fuzz_files";
        options.provenance.config_yaml = config.yaml;
        options.provenance.start_time = "2026-11-21T00:00:00Z";
    }
    std::string path(const std::string& name) const { return folder + prefix + name; }
    std::string out() const { return folder + "case.h5"; }
    Disorder couplings(const std::string& file) const {
        if (parameters.model.has_vectors()) {
            const Occupation found = read_occupation(file, occupation_law(parameters));
            Disorder disorder;
            disorder.first = found.first, disorder.count = found.count, disorder.hash = found.hash;
            return disorder;
        }
        return read_disorder(file, parameters.L, parameters.multispin.share, model_of(parameters));
    }

    AnalyseOptions measure(const std::string& disorder, const std::string& run, const std::string& to) const {
        return {disorder, {run}, to, false, false, options.backend, options.provenance};
    }

    std::string folder, prefix;
    std::vector<std::string> observables;
    bool relaxes;
    Config config;
    Parameters parameters;
    RunOptions options;
};

template <class Values>
void add(Hasher& hash, const Values& values) {
    hash.add(values.data(), values.size() * sizeof(values[0]));
}

template <class T>
void add_datasets(Hasher& hash, const InputFile& file, const std::vector<std::string>& names) {
    for (const std::string& name : names) add(hash, file.read<T>(name).data);
}

std::string of_disorder(const Study& study, const std::string& path) {
    const Disorder disorder = study.couplings(path);
    return fmt::format("{} {} {}", disorder.first, disorder.count, disorder.hash);
}

/// of_run: a state that a pt-run begins with, else one of a relaxation.
std::string of_state(const Study& study, const std::string& path, bool of_run = true) {
    const Batch batch = load_batch(study.parameters, study.path("disorder"), study.options.backend, 0, 0);
    std::string position;
    if (of_run)
        position = fmt::format("{} {} ", read_position(path).sweep, read_position(path).grid.has_value());
    return position + state_hash(load_state(path, batch.identity, batch.shape));
}

std::string of_sums(const RunSums& run) {
    Hasher hash;
    for (const auto& sums : run.blocks.sums) add(hash, sums);
    add(hash, run.blocks.edges);
    add(hash, run.blocks.count);
    add(hash, run.histogram);
    add(hash, run.accepted);
    add(hash, run.attempted);
    add(hash, run.round_trips);
    return fmt::format("{} {} {} {}", run.run_first, run.run_last, run.temperature, hash.hex());
}

std::string of_run(const Study& study, const std::string& path) {
    const std::string disorder_path = study.path("disorder");
    const Disorder disorder = study.couplings(disorder_path);
    return of_sums(
        read_runs({path}, study.parameters, disorder_path, disorder, false, study.options.backend));
}

std::string of_observables(const Study& study, const std::string& path) {
    const InputFile file(path, "observables");
    Hasher hash;
    add_datasets<double>(hash, file, study.observables);
    add_datasets<std::uint8_t>(hash, file, {"/equilibration/equilibrated"});
    return hash.hex();
}

/// Files that programs write and only Python reads: through the reader of all files.
std::string of_numbers(const std::string& path, const std::string& kind,
                       const std::vector<std::string>& datasets) {
    const InputFile file(path, kind);
    Hasher hash;
    add_datasets<double>(hash, file, datasets);
    return hash.hex() + file.text_attribute("/provenance@config");
}

/// The pt-run from the state on, whether or not a checkpoint of it is there.
std::string pt_run_from(const Study& study, const std::string& disorder, const std::string& state) {
    pt_run(study.parameters, disorder, state, study.out(), "", 0, study.options);
    return of_sums(read_run(InputFile(study.out(), schema::run), model_of(study.parameters)));
}

/// The sums of a relaxation, which only Python reads.
std::string of_relaxation(const std::string& path) {
    const InputFile file(path, schema::relaxation);
    Hasher hash;
    add_datasets<std::int64_t>(hash, file, {"/times", "/waiting", "/relaxation/energy"});
    add_datasets<double>(hash, file, {"/factors", "/temperatures"});
    return hash.hex();
}

/// The relaxation up to this sweep, from random spins or from a state.
std::string relaxed_to(const Study& study, const std::string& disorder, const std::string& state,
                       std::int64_t last) {
    Parameters parameters = study.parameters;
    parameters.relax.last = last;
    relax(parameters, disorder, state, study.out(), "", study.options);
    return of_relaxation(study.out());
}

/// The checkpoint as pt-run loads it.
std::string of_checkpoint(const Study& study) {
    const Parameters& p = study.parameters;
    const StatePosition position = read_position(study.path("state"));
    SimulationCall chunk;
    chunk.parameters = p;
    const RunGrid grid = run_grid(p);
    plan_run(chunk, position, {0, run_end(grid, 0, p.run_sweeps, 0), grid});
    chunk.batch =
        load_batch(p, study.path("disorder"), study.options.backend, chunk.run.bins.count(), p.run.snapshots);
    chunk.start = load_state(study.path("state"), chunk.batch.identity, chunk.batch.shape);
    CheckpointFile file = chunk_checkpoint(chunk, study.out(), "pt-run");
    const Checkpoint checkpoint = file.load();
    Hasher hash;
    for (const auto& sums : checkpoint.accumulators.integers) add(hash, sums);
    for (const auto& sums : checkpoint.accumulators.reals) add(hash, sums);
    for (const Snapshot& snapshot : checkpoint.snapshots) add(hash, snapshot.spins.bits);
    add(hash, checkpoint.accumulators.histogram);
    return state_hash(checkpoint.state) + hash.hex();
}

std::string measured(const Study& study, const std::string& run) {
    analyse_run(study.config, study.parameters, study.measure(study.path("disorder"), run, study.out()));
    const std::string result = of_observables(study, study.out());
    std::filesystem::remove(study.out());
    const AuditResult audited =
        audit(study.parameters, {study.path("disorder"), study.path("state"), run, ""}, {}, study.out(),
              study.options);
    return fmt::format("{} {} {}", result, audited.differences, audited.hash_in_files);
}

std::string reduced(const Study& study, const std::string& observables) {
    const std::string csv = study.folder + "case.csv";
    reduce_disorder(study.config, {observables}, study.out(), csv, study.options.provenance);
    return read_bytes(csv);
}

/// Takes the lock and gives it back; the text of the lock decides whether that may be.
std::string locked(const std::string& path) {
    const WriterLock lock(path.substr(0, path.size() - std::string(".lock").size()), "fuzz_files");
    return "taken";
}

/// What the programs of a study write, one after the other.
void make_study(const std::string& folder, const StudyModel& model) {
    write_bytes(folder + "/" + model.prefix + "study.yaml", study_text + model.text);
    const Study study(folder, model);
    const Parameters& p = study.parameters;
    const auto path = [&](const char* name) { return study.path(name); };
    if (p.model.has_vectors())
        write_occupation(path("disorder"), occupation_law(p), 0, study.config.disorder.realizations,
                         study.options.provenance, 1);
    else
        write_disorder(path("disorder"), CouplingsLaw{p.seed, model_of(p), p.L}, 0,
                       study.config.disorder.realizations, study.options.provenance, 1);
    thermalize(p, path("disorder"), path("state"), study.options);
    pt_run(p, path("disorder"), path("state"), path("run"), path("state_of_run"), 0, study.options);
    analyse_run(study.config, p, study.measure(path("disorder"), path("run"), path("observables")));
    reduce_disorder(study.config, {path("observables")}, path("reduced"), path("table.csv"),
                    study.options.provenance);
    if (model.relaxes)
        relax(p, path("disorder"), "", path("relaxation"), path("state_of_relaxation"), study.options);
    if (p.model.has_vectors()) return;
    TuneOptions tune;
    tune.count = 3;
    tune.sweeps = 100;
    tune_ladder_program(p, path("disorder"), path("ladder.yaml"), path("ladder"), tune, study.options);
}

/// Of `work` that writes to the file "stopped".
void make_checkpoint_of(const Study& study, const std::string& name, const std::function<void()>& work) {
    try {
        work();
        throw std::logic_error("the run was not stopped");
    } catch (const Stopped&) {
        std::filesystem::rename(study.path("stopped.checkpoint.h5"), study.path(name));
    }
}

/// Under a time limit that is over.
void make_checkpoints(const Study& study) {
    const auto path = [&](const char* name) { return study.path(name); };
    const Parameters& p = study.parameters;
    make_checkpoint_of(study, "checkpoint", [&] {
        pt_run(p, path("disorder"), path("state"), path("stopped"), "", 0, study.options);
    });
    if (!study.relaxes) return;
    make_checkpoint_of(study, "checkpoint_of_relaxation",
                       [&] { relax(p, path("disorder"), "", path("stopped"), "", study.options); });
}

using Path = const std::string&;

constexpr const char* in = "case-in.h5";

void add_relaxation(std::vector<FileKind>& kinds, const Study& s) {
    kinds.push_back({"relaxation", in, [](Path path) { return of_relaxation(path); }, {}});
    kinds.push_back({"state_of_relaxation", in, [s](Path path) { return of_state(s, path, false); },
                     [s](Path path) { return relaxed_to(s, s.path("disorder"), path, 32); }});
    const auto go_on = [s](Path) { return relaxed_to(s, s.path("disorder"), "", 16); };
    kinds.push_back({"checkpoint_of_relaxation", "case.h5.checkpoint.h5", go_on, {}});
}

std::vector<FileKind> kinds_of_study(const Study& s) {
    const auto from_disorder = [s](Path path) {
        thermalize(s.parameters, path, s.out(), s.options);
        return of_state(s, s.out());
    };
    const auto from_state = [s](Path path) { return pt_run_from(s, s.path("disorder"), path); };
    std::vector<FileKind> kinds = {
        {"disorder", in, [s](Path path) { return of_disorder(s, path); }, from_disorder},
        {"state", in, [s](Path path) { return of_state(s, path); }, from_state},
        {"state_of_run", in, [s](Path path) { return of_state(s, path); }, from_state},
        {"checkpoint", "case.h5.checkpoint.h5", [s](Path) { return of_checkpoint(s); },
         [s](Path) { return pt_run_from(s, s.path("disorder"), s.path("state")); }},
        {"run", in, [s](Path path) { return of_run(s, path); }, [s](Path path) { return measured(s, path); }},
        {"observables", in, [s](Path path) { return of_observables(s, path); },
         [s](Path path) { return reduced(s, path); }},
        {"reduced",
         in,
         [group = fmt::format("/L{}/", s.parameters.L)](Path path) {
             return of_numbers(path, "reduced", {group + "beta", group + "energy_err"});
         },
         {}},
    };
    if (!s.parameters.model.has_vectors())
        kinds.push_back(
            {"ladder",
             in,
             [](Path path) {
                 return of_numbers(path, "ladder", {"/round0/temperatures", "/round0/acceptance"});
             },
             {}});
    if (s.relaxes) add_relaxation(kinds, s);
    for (FileKind& kind : kinds) kind.name = s.prefix + kind.name;
    return kinds;
}

}  // namespace

void make_good_files(const std::string& folder) {
    for (const StudyModel& model : models()) make_study(folder, model);
    const Study study(folder, models().front());
    const auto path = [&](const char* name) { return study.path(name); };
    BenchmarkResult timing;
    timing.backend = "cpu";
    timing.device = "a processor";
    timing.ps_per_flip = 1.5;
    write_bytes(path("benchmark"), rows_json({benchmark_row(timing), benchmark_row(timing)}));
    write_bytes(path("list"), path("study.yaml") + "\n" + path("run") + "\n\n" + path("state") + "\n");
    {
        const WriterLock lock(path("locked"), "pt-run");
        write_bytes(path("lock"), read_bytes(lock.path()));
    }
    watch_for_stop(1e-9);
    for (const StudyModel& model : models()) make_checkpoints(Study(folder, model));
}

std::vector<FileKind> file_kinds(const std::string& folder) {
    std::vector<FileKind> kinds = {
        {"benchmark",
         in,
         [](Path path) {
             std::vector<BenchRow> rows;
             for (const BenchmarkResult& r : read_benchmark_json(path)) rows.push_back(benchmark_row(r));
             return rows_json(rows);
         },
         {}},
        {"list", in, [](Path path) { return fmt::format("{}", fmt::join(read_path_list(path), "\n")); }, {}},
        {"lock", "case.h5.lock", locked, {}},
    };
    for (const StudyModel& model : models()) {
        const auto more = kinds_of_study(Study(folder, model));
        kinds.insert(kinds.end(), more.begin(), more.end());
    }
    return kinds;
}

}  // namespace psflip::fuzz
