#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <optional>

#include "base/thread_pool.hpp"
#include "io/hdf5/chunk_filters.hpp"
#include "io/hdf5/chunk_grid.hpp"

namespace psflip {

/// A dataset whose chunks can go between file and memory without HDF5's filters and conversions, which take
/// one core: chunks that are ranges of elements, filters of FilterList, the file's type that of memory. HDF5
/// itself is called by the caller's thread alone.
class ChunkedDataset {
  public:
    /// Nothing where it is another kind of dataset. `memory_type`: of the elements in memory.
    static std::optional<ChunkedDataset> of(hid_t dataset, hid_t memory_type);

    const ChunkGrid& grid() const { return grid_; }
    bool is_whole_chunks(const ElementRange& range) const;

    /// Writes elements of whole chunks. `check` is given what HDF5 returns and throws where that is a
    /// failure.
    void write(const ElementRange& range, const void* data, ThreadPool& pool,
               const std::function<void(hid_t)>& check) const;
    /// False where a chunk is missing, damaged or cannot be read: H5Dread then says what is wrong with it.
    bool read(const ElementRange& range, void* data, ThreadPool& pool) const;

  private:
    ChunkedDataset(hid_t dataset, const ChunkGrid& grid, const FilterList& filters)
        : dataset_(dataset), grid_(grid), filters_(filters) {}
    bool fetch(std::int64_t chunk, StoredChunk& stored) const;
    bool unpack(std::int64_t chunk, const StoredChunk& stored, const ElementRange& range, std::byte* data,
                ChunkCodec& codec, std::vector<std::byte>& whole) const;
    std::size_t chunk_bytes() const;

    hid_t dataset_;
    ChunkGrid grid_;
    FilterList filters_;
};

}  // namespace psflip
