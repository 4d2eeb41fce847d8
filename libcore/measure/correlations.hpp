#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/evolution.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Two configurations of a lattice to compare: of a replica now, and of another replica, of itself at an
/// earlier time, or with all spins up.
struct SpinComparison {
    enum class With { replica, earlier, up } with;
    int replica;
    int other = 0;  ///< number of the replica, or of the earlier time in the order of remember()
};

/// What a relaxation measures beside Measurement: the sums correlation4 or correlation2, two_time_overlap and
/// two_time_link, added up in host memory from counts of the backend, as integers. Whole lattices.
class Correlations {
  public:
    virtual ~Correlations() = default;

    /// The present spins are those of the next waiting time: canonical, all lattices.
    virtual void remember(const std::vector<std::uint64_t>& spins) = 0;
    virtual int remembered() const = 0;
    /// Adds the correlations of the present spins to a bin.
    void measure(int bin);

    /// The sums; all others are empty.
    const Accumulators& sums() const { return sums_; }
    /// Takes what `from` has of them.
    void set_sums(const Accumulators& from);

  protected:
    /// measured: what all of the relaxation measures.
    Correlations(const Shape& shape, const Measured& measured, int bins);
    /// Counts of differences as DistanceTask says, added to `counts`, (0 to distances; temperature;
    /// realization). Bonds: without those that are absent.
    virtual void count(const SpinComparison& compared, int distances, bool bonds, std::int64_t* counts) = 0;
    /// Bonds that are there, by realization.
    virtual std::vector<std::int64_t> bonds() = 0;

    Shape shape_;

  private:
    void measure_distances(int bin);
    void measure_waiting(int bin, int number);

    Accumulators sums_;
    std::vector<std::int64_t> bonds_;
};

/// On the evolution's backend; the evolution must outlive it. Up to `waiting` times are remembered.
std::unique_ptr<Correlations> make_correlations(Evolution& evolution, const Measured& measured, int bins);

}  // namespace psflip
