#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "io/hdf5/chunk_filters.hpp"
#include "io/hdf5/chunk_grid.hpp"

namespace psflip {

/// Transfers chunks between file and memory with several threads, because HDF5's filters and conversions use
/// one core. The chunks must be ranges of elements. They may have only the filters of FilterList. Elements
/// have one type in file and memory. Only the calling thread calls HDF5.
class ChunkedDataset {
  public:
    /// Returns nothing if the dataset does not meet these conditions. `memory_type` is the type of the
    /// elements in memory.
    static std::optional<ChunkedDataset> of(hid_t dataset, hid_t memory_type);

    const ChunkGrid& grid() const { return grid_; }
    bool is_whole_chunks(const ElementRange& range) const;

    /// Writes elements that fill whole chunks. `check` gets the result of each HDF5 call and throws on a
    /// failure.
    void write(const ElementRange& range, const void* data, ThreadPool& pool,
               const std::function<void(hid_t)>& check) const;
    struct Part;
    /// Writes parts of datasets that have equal filters, one after another. Threads pack chunks of all parts
    /// together.
    static void write_all(const std::vector<Part>& parts, ThreadPool& pool,
                          const std::function<void(hid_t)>& check);
    /// Returns false if a chunk is missing, damaged or unreadable. H5Dread then gives the reason.
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

/// Elements of a dataset that fill whole chunks.
struct ChunkedDataset::Part {
    ChunkedDataset dataset;
    ElementRange range;
    const void* data;
};

}  // namespace psflip
