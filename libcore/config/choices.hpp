#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace psflip {

// The keys whose values are names: an enumeration of the values, and its table of names in the same order.
// Random numbers contain enumerators of the model by their number (Model::random_key), so that their order
// stays.

enum class ModelKind { edwards_anderson, ferromagnet, heisenberg };
enum class Boundary { periodic, open };
enum class Couplings { discrete, gaussian };
/// Which Dzyaloshinskii-Moriya vectors the bonds have.
enum class DmPattern {
    none,
    constant,    ///< D n on every bond, from the site of lower coordinate to the other
    alternating  ///< eta D n, eta = (-1)^(x+y+z) of the site of lower coordinate
};
enum class DisorderSource { drawn, files };
enum class Spacing { linear, geometric, inverse };
/// What the lanes of a word are, the coding of a batch. It decides which random bits a spin gets, and nothing
/// else: whatever is in files does not depend on it.
enum class Lanes {
    realizations,  ///< 128 realizations of one replica and temperature
    replicas,      ///< the (replica, temperature) pairs of one realization
    sites          ///< 128 boxes of one lattice
};
enum class Update { metropolis, heat_bath, cone };
/// Of real spins or couplings, and of all arithmetic with them.
enum class Precision {
    single,
    twofold,
    fast  ///< spins as single; sweeps by approximations of the GPU (sweep/vector/fast_float_cuda.cuh)
};
enum class MagnetisationChoice { automatic, always };
enum class EquilibrationRule { log2, none };
enum class Unequilibrated { keep, refuse };
enum class RelaxOrigin { random, up, state };
enum class RelaxSchedule { constant, steps, linear, geometric };

/// The names of an enumeration, as in configurations and files, in the order of the enumerators.
template <class Enumeration>
inline constexpr std::array<const char*, 0> choice_names{};
template <>
inline constexpr std::array<const char*, 3> choice_names<ModelKind>{"edwards-anderson", "ferromagnet",
                                                                    "heisenberg"};
template <>
inline constexpr std::array<const char*, 2> choice_names<Boundary>{"periodic", "open"};
template <>
inline constexpr std::array<const char*, 2> choice_names<Couplings>{"discrete", "gaussian"};
template <>
inline constexpr std::array<const char*, 3> choice_names<DmPattern>{"none", "constant", "alternating"};
template <>
inline constexpr std::array<const char*, 2> choice_names<DisorderSource>{"drawn", "files"};
template <>
inline constexpr std::array<const char*, 3> choice_names<Spacing>{"linear", "geometric", "inverse"};
template <>
inline constexpr std::array<const char*, 3> choice_names<Lanes>{"realizations", "replicas", "sites"};
template <>
inline constexpr std::array<const char*, 3> choice_names<Update>{"metropolis", "heat-bath", "cone"};
template <>
inline constexpr std::array<const char*, 3> choice_names<Precision>{"float", "double", "fast"};
template <>
inline constexpr std::array<const char*, 2> choice_names<MagnetisationChoice>{"auto", "always"};
template <>
inline constexpr std::array<const char*, 2> choice_names<EquilibrationRule>{"log2", "none"};
template <>
inline constexpr std::array<const char*, 2> choice_names<Unequilibrated>{"keep", "refuse"};
template <>
inline constexpr std::array<const char*, 3> choice_names<RelaxOrigin>{"random", "up", "state"};
template <>
inline constexpr std::array<const char*, 4> choice_names<RelaxSchedule>{"constant", "steps", "linear",
                                                                        "geometric"};

/// An enumeration with a table of names.
template <class Enumeration>
concept Named = !choice_names<Enumeration>.empty();

template <Named Enumeration>
constexpr const char* name(Enumeration value) {
    return choice_names<Enumeration>[static_cast<std::size_t>(value)];
}

/// The index of `text` among `all`. Errors: InputError names all of them if there is none.
std::size_t index_of_name(const std::string& text, std::span<const char* const> all);

/// The enumerator of this name. Errors: InputError for another text.
template <Named Enumeration>
Enumeration named(const std::string& text) {
    return static_cast<Enumeration>(index_of_name(text, choice_names<Enumeration>));
}

}  // namespace psflip
