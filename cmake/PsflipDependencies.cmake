# Libraries from the distribution. yaml-cpp names its target differently across versions.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
    add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
# Packs and unpacks the chunks of HDF5 files. It brings a CMake package only from version 1.15 on.
find_path(PSFLIP_LIBDEFLATE_INCLUDE libdeflate.h REQUIRED)
find_library(PSFLIP_LIBDEFLATE deflate REQUIRED)
# Used as headers only (XXH_INLINE_ALL).
find_path(PSFLIP_XXHASH_INCLUDE xxhash.h REQUIRED)
if(PSFLIP_TESTS)
    find_package(doctest REQUIRED)
endif()
