#pragma once

namespace psflip {

/// Per realization and temperature, intensive: energy <E>/N; energy2 <E^2>/N^2; energy_product <e>_a<e>_b
/// (<e>^2, without bias where there are two replicas); specific_heat beta^2 N (energy2 - energy_product); q,
/// q_abs, q2, q4, q_link, kmin = <|q(k_min)|^2> averaged over the three axes; q2_product <q2>_ab <q2>_cd
/// (<q2>^2, without bias where there are four replicas), q_link_product and q2_q_link_product likewise of
/// <q_link> with itself and with <q2>; q_link2 <q_link^2>, q2_q_link <q^2 q_link>. Replicas are averaged,
/// overlaps over all replica pairs. The names are those of the datasets in observables files.
enum class Observable {
    energy,
    energy2,
    energy_product,
    specific_heat,
    q,
    q_abs,
    q2,
    q4,
    q_link,
    kmin,
    q2_product,
    q_link2,
    q_link_product,
    q2_q_link,
    q2_q_link_product
};
inline constexpr int n_observables = 15;

inline const char* observable_name(Observable observable) {
    constexpr const char* names[n_observables] = {"energy",
                                                  "energy2",
                                                  "energy_product",
                                                  "specific_heat",
                                                  "q",
                                                  "q_abs",
                                                  "q2",
                                                  "q4",
                                                  "q_link",
                                                  "kmin",
                                                  "q2_product",
                                                  "q_link2",
                                                  "q_link_product",
                                                  "q2_q_link",
                                                  "q2_q_link_product"};
    return names[static_cast<int>(observable)];
}

/// The observables whose disorder averages, or functions of them, reduce-disorder gives with errors that take
/// into account that realizations share random numbers (see shared_noise.hpp).
inline constexpr Observable shared_observables[] = {
    Observable::energy, Observable::specific_heat, Observable::q_abs, Observable::q2,
    Observable::q4,     Observable::q_link,        Observable::kmin};

/// Pairs of them of which a quantity is a function: the Binder ratio, xi_L/L.
struct SharedPair {
    Observable first, second;
    const char* name;  ///< of the dataset
};
inline constexpr SharedPair shared_pairs[] = {{Observable::q2, Observable::q4, "q2_q4"},
                                              {Observable::q2, Observable::kmin, "q2_kmin"}};
inline constexpr int n_shared_pairs = 2;

/// The observables whose means in log2 bins are kept and compared.
inline constexpr Observable binned_observables[] = {Observable::energy, Observable::q2, Observable::q_link};
inline constexpr int n_binned_observables = 3;

}  // namespace psflip
