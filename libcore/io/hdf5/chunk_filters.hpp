#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace psflip {

/// The filters of a dataset in the order in which HDF5 applies them when it writes; formats as in HDF5's own
/// filters: shuffle (all first bytes of the elements, then all second bytes, ...), deflate (a zlib stream),
/// fletcher32 (4 bytes behind the rest, little-endian).
struct FilterList {
    std::size_t element_bytes = 1;
    bool shuffle = false, deflate = false, fletcher32 = false;
};

/// A chunk as it lies in a file, with HDF5's filter mask: bit i says that filter i of the list was left out.
struct StoredChunk {
    std::vector<std::byte> bytes;
    std::uint32_t mask = 0;
};

/// Applies and undoes filters with libdeflate, as many times as one likes. For one thread at a time; the
/// bytes depend on the chunk alone.
class ChunkCodec {
  public:
    explicit ChunkCodec(const FilterList& filters);
    ~ChunkCodec();
    ChunkCodec(ChunkCodec&&) noexcept;

    /// Where deflating saves less than an eighth the chunk is stored without, which reads faster.
    void encode(std::span<const std::byte> chunk, StoredChunk& stored);
    /// False where `stored` is damaged or does not give just chunk.size() bytes.
    bool decode(const StoredChunk& stored, std::span<std::byte> chunk);

  private:
    struct Engines;
    FilterList filters_;
    std::unique_ptr<Engines> engines_;
    std::vector<std::byte> shuffled_;
};

/// Fletcher's checksum of big-endian 16-bit words modulo 65535, as HDF5's filter computes it; an odd last
/// byte counts as the high half of a word.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace psflip
