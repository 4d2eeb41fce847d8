#pragma once

// Reads the observables files of one lattice size.

#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "io/datasets.hpp"
#include "io/file.hpp"
#include "statistics/average/campaign.hpp"
#include "statistics/equilibrium/hottest_slot.hpp"

namespace psflip {

/// Holds what an observables file says about its contents, without the datasets of observables.
struct ObservablesHeader {
    std::string path;
    int L, replicas;
    std::int64_t first, count;  ///< number of the first realization; how many realizations the file has
    std::string physics;
    std::vector<double> temperature;
    double discard;  ///< fraction of the runs that averages leave out
    std::vector<std::int64_t> log2_edges;
    std::string couplings_origin;  ///< empty if gen-disorder drew them
    std::string hash;              ///< XXH64 of the file
};

/// Reads the header of an observables file. Errors: InputError for an impossible number.
ObservablesHeader read_header(const std::string& path);

/// Selects the realizations of files that enter the averages.
struct Selection {
    int share = 1;                  ///< multispin.share
    std::int64_t realizations = 0;  ///< realizations below this number enter
    Model model = {};               ///< model of the study
};

/// Combines the observables files of one lattice size, one at a time and in the order of their realizations.
/// All sums run over the realizations one by one, and sums of shared noise run over the share groups. So
/// these sums do not depend on how realizations are cut into files.
class SizeReader {
  public:
    /// `first` is the header of any of the files. `log2_edges` are the edges that all files have. Every file
    /// has at least `comparisons` log2 bins before its last bin. Each file is read with `threads` threads (0:
    /// all cores). Errors: InputError if `first` lacks its histogram of q or has an impossible number of
    /// bins.
    SizeReader(const ObservablesHeader& first, const std::vector<std::int64_t>& log2_edges, int comparisons,
               const Selection& selection, int threads = 1);

    /// Adds a file. Errors: InputError if its datasets do not fit.
    void add(const ObservablesHeader& header);
    /// Returns the results of all added files. Call it once, at the end.
    SizeResults take();

  private:
    /// Computes the mean for each temperature over the values that are not NaN.
    struct Mean {
        std::vector<double> sum, number;
        std::vector<double> mean() const;
    };
    void choose(const InputFile& file, const ObservablesHeader& header);
    void note_basis(const InputFile& file);
    void add_means(const InputFile& file);
    void add_covariances(const InputFile& file);
    void add_shared(const InputFile& file);
    std::int64_t packs() const {
        return (first_ + count_ - 1) / selection_.share - first_ / selection_.share + 1;
    }
    std::vector<double> pack_weights(const std::vector<std::int64_t>& places) const;
    std::vector<double> read_packs(const InputFile& file, const std::string& dataset) const;
    std::vector<double> shared_parts(const std::vector<double>& shared,
                                     const std::vector<std::int64_t>& places) const;
    template <class T>
    void add_to(Mean& mean, const std::vector<T>& values) const;
    void add_tempering(const InputFile& file);
    void add_houdayer(const InputFile& file);
    void add_bins(const InputFile& file, const ObservablesHeader& header);
    void add_log2(const std::vector<double>& bins, const std::vector<std::int64_t>& edges,
                  const std::vector<std::int64_t>& count, RunningAverage& average);
    std::vector<std::uint32_t> read_counts(const InputFile& file, const std::string& dataset,
                                           const OverlapHistogram& histogram);
    void add_densities(const std::vector<std::uint32_t>& counts, const OverlapHistogram& histogram,
                       RunningAverage& average);
    void add_histograms(const InputFile& file);
    void add_lowest(const InputFile& file);
    std::vector<double> read(const InputFile& file, const std::string& dataset,
                             const Range<double>& range) const;

    Selection selection_;
    ThreadPool pool_;
    SizeResults size_;
    Mean tau_energy_, tau_order_, too_short_;
    PairedBins paired_[n_binned_observables];
    HottestMean hottest_;
    bool links_known_ = true;             ///< all files so far have histograms of q_link over all bonds
    std::int64_t first_ = 0, count_ = 0;  ///< realizations of the present file
    std::vector<std::int64_t>
        kept_;  ///< indices in the present file of the realizations that enter the averages, ascending
    std::vector<std::int64_t> passing_;  ///< the equilibrated realizations of kept_
};

}  // namespace psflip
