#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace psflip {

/// Says which filters a dataset has, in the order in which HDF5 applies them when it writes: shuffle (all
/// first bytes of the elements, then all second bytes, ...), deflate (a zlib stream), fletcher32 (4 bytes at
/// the end, little-endian).
struct FilterList {
    std::size_t element_bytes = 1;
    bool shuffle = false, deflate = false, fletcher32 = false;
};

/// Holds a chunk as the file stores it, with HDF5's filter mask: bit i says that filter i was skipped.
struct StoredChunk {
    std::vector<std::byte> bytes;
    std::uint32_t mask = 0;
};

/// Applies and reverts filters with libdeflate. One thread at a time may use a codec. The stored bytes depend
/// only on the chunk.
class ChunkCodec {
  public:
    explicit ChunkCodec(const FilterList& filters);
    ~ChunkCodec();
    ChunkCodec(ChunkCodec&&) noexcept;

    /// Applies the filters. Skips deflate if it saves less than an eighth, because such chunks read faster.
    void encode(std::span<const std::byte> chunk, StoredChunk& stored);
    /// Reverts the filters. Returns false if `stored` is damaged or does not give exactly chunk.size() bytes.
    bool decode(const StoredChunk& stored, std::span<std::byte> chunk);

  private:
    struct Engines;
    FilterList filters_;
    std::unique_ptr<Engines> engines_;
    std::vector<std::byte> shuffled_;
};

/// Returns Fletcher's checksum of big-endian 16-bit words modulo 65535, as HDF5 computes it. An odd last byte
/// is the high half of a word.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace psflip
