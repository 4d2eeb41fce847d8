#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace psflip {

// Defines an enumeration for each key whose values are names, and a table of these names in the order of the
// enumerators. Keys of the random number generator contain the numbers of enumerators of the model
// (Model::random_key). So the order of enumerators must stay.

enum class ModelKind { edwards_anderson, ferromagnet, heisenberg };
enum class Boundary { periodic, open };
enum class Couplings { discrete, gaussian };
/// Selects the Dzyaloshinskii-Moriya vectors of the bonds: D is model.dm, and n is the unit vector along
/// model.dm_axis.
enum class DmPattern {
    none,
    constant,    ///< D n on every bond, from the site of lower coordinate to the other
    alternating  ///< eta D n, eta = (-1)^(x+y+z) of the site of lower coordinate
};
enum class DisorderSource { drawn, files };
enum class Spacing { linear, geometric, inverse };
/// Selects what the lanes (bit positions) of a word are. The choice decides which random bits a spin gets. It
/// does not change the layout of files.
enum class Lanes {
    realizations,  ///< 128 realizations of one replica and temperature
    replicas,      ///< the (replica, temperature) pairs of one realization
    sites          ///< 128 subdomains of one lattice
};
enum class Update { metropolis, heat_bath, cone, demon, swendsen_wang, wolff };
/// Selects the order of tiles in the steps of the double checkerboard.
enum class TileOrder {
    fixed,        ///< the tiles of colour 0 first, and the even sites first in each update of a tile
    alternating,  ///< every second step begins with the tiles of colour 1
    reversed      ///< every second step has the reverse order of tiles, and of the sites in each update
};
/// Selects the arithmetic of vector spins and of real couplings.
enum class Precision {
    single,
    twofold,
    fast  ///< single precision with approximations of the GPU (sweep/vector/fast_float_cuda.cuh)
};
enum class MagnetisationChoice { automatic, always };
enum class EquilibrationRule { log2, none };
enum class Unequilibrated { keep, refuse };
enum class RelaxOrigin { random, up, state };
enum class RelaxSchedule { constant, steps, linear, geometric };

/// Holds the names of an enumeration in the order of its enumerators, as in configurations and files.
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
inline constexpr std::array<const char*, 6> choice_names<Update>{"metropolis", "heat-bath",     "cone",
                                                                 "demon",      "swendsen-wang", "wolff"};
template <>
inline constexpr std::array<const char*, 3> choice_names<TileOrder>{"fixed", "alternating", "reversed"};
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

/// Is true for an enumeration with a table of names.
template <class Enumeration>
concept Named = !choice_names<Enumeration>.empty();

/// Returns the name of an enumerator in configurations and files.
template <Named Enumeration>
constexpr const char* name(Enumeration value) {
    return choice_names<Enumeration>[static_cast<std::size_t>(value)];
}

/// Returns the index of `text` in `all`. Errors: InputError with all names if `text` is none of them.
std::size_t index_of_name(const std::string& text, std::span<const char* const> all);

/// Returns the enumerator of this name. Errors: InputError for another text.
template <Named Enumeration>
Enumeration named(const std::string& text) {
    return static_cast<Enumeration>(index_of_name(text, choice_names<Enumeration>));
}

}  // namespace psflip
