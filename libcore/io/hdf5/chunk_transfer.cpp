#include "io/hdf5/chunk_transfer.hpp"

#include <algorithm>
#include <cstring>

#include "base/pipeline.hpp"
#include "io/hdf5/handle.hpp"

namespace psflip {
namespace {

/// Returns nothing for other filters, or another order of filters.
std::optional<FilterList> filters_of(hid_t creation, std::size_t element_bytes) {
    FilterList list{element_bytes};
    const int filters = H5Pget_nfilters(creation);
    for (int i = 0; i < filters; ++i) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config);
        if (filter == H5Z_FILTER_SHUFFLE && !list.shuffle && !list.deflate && !list.fletcher32)
            list.shuffle = true;
        else if (filter == H5Z_FILTER_DEFLATE && !list.deflate && !list.fletcher32)
            list.deflate = true;
        else if (filter == H5Z_FILTER_FLETCHER32 && !list.fletcher32)
            list.fletcher32 = true;
        else
            return std::nullopt;
    }
    return list;
}

std::vector<std::int64_t> extents_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    std::vector<hsize_t> extents(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    return {extents.begin(), extents.end()};
}

std::vector<ChunkCodec> codecs(const FilterList& filters, int threads) {
    std::vector<ChunkCodec> each;
    for (int thread = 0; thread < threads; ++thread) each.emplace_back(filters);
    return each;
}

ElementRange common(const ElementRange& a, const ElementRange& b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

std::optional<ChunkedDataset> ChunkedDataset::of(hid_t dataset, hid_t memory_type) {
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose), type(H5Dget_type(dataset), H5Tclose);
    if (!creation.valid() || !type.valid() || H5Tequal(type.get(), memory_type) <= 0 ||
        H5Pget_layout(creation.get()) != H5D_CHUNKED)
        return std::nullopt;
    const std::vector<std::int64_t> extents = extents_of(dataset);
    std::vector<hsize_t> chunk(extents.size());
    if (H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()) < 0) return std::nullopt;
    const auto grid = ChunkGrid::of(extents, chunk);
    const auto filters = filters_of(creation.get(), H5Tget_size(memory_type));
    if (!grid || !filters) return std::nullopt;
    return ChunkedDataset(dataset, *grid, *filters);
}

std::size_t ChunkedDataset::chunk_bytes() const {
    return static_cast<std::size_t>(grid_.chunk_elements()) * filters_.element_bytes;
}

bool ChunkedDataset::is_whole_chunks(const ElementRange& range) const {
    if (range.size() < 1) return false;
    return grid_.elements(grid_.chunk_of(range.begin)).begin == range.begin &&
           grid_.elements(grid_.chunk_of(range.end - 1)).end == range.end;
}

void ChunkedDataset::write(const ElementRange& range, const void* data, ThreadPool& pool,
                           const std::function<void(hid_t)>& check) const {
    write_all({{*this, range, data}}, pool, check);
}

void ChunkedDataset::write_all(const std::vector<Part>& parts, ThreadPool& pool,
                               const std::function<void(hid_t)>& check) {
    struct Place {
        const Part* part;
        std::int64_t chunk;
    };
    std::vector<Place> chunks;
    for (const Part& part : parts)
        for (std::int64_t chunk = part.dataset.grid_.chunk_of(part.range.begin);
             chunk <= part.dataset.grid_.chunk_of(part.range.end - 1); ++chunk)
            chunks.push_back({&part, chunk});
    const int window = pipeline_window(pool);
    std::vector<ChunkCodec> codec = codecs(parts.front().dataset.filters_, pool.threads());
    std::vector<StoredChunk> stored(static_cast<std::size_t>(window));
    const auto place = [&](std::int64_t i) -> StoredChunk& {
        return stored[static_cast<std::size_t>(i % window)];
    };
    const auto work = [&](std::int64_t i, int thread) {
        const auto& [part, chunk] = chunks[static_cast<std::size_t>(i)];
        const ChunkedDataset& dataset = part->dataset;
        const std::size_t width = dataset.filters_.element_bytes;
        const ElementRange elements = dataset.grid_.elements(chunk);
        const std::span<const std::byte> bytes(
            static_cast<const std::byte*>(part->data) +
                static_cast<std::size_t>(elements.begin - part->range.begin) * width,
            static_cast<std::size_t>(elements.size()) * width);
        if (bytes.size() == dataset.chunk_bytes()) return codec[thread].encode(bytes, place(i));
        std::vector<std::byte> padded(bytes.begin(), bytes.end());
        padded.resize(dataset.chunk_bytes());
        codec[thread].encode(padded, place(i));
    };
    const auto finish = [&](std::int64_t i) {
        const auto& [part, chunk] = chunks[static_cast<std::size_t>(i)];
        const StoredChunk& packed = place(i);
        check(H5Dwrite_chunk(part->dataset.dataset_, H5P_DEFAULT, packed.mask,
                             part->dataset.grid_.offset(chunk).data(), packed.bytes.size(),
                             packed.bytes.data()));
    };
    run_pipeline(pool, std::ssize(chunks), window, {[](std::int64_t) {}, work, finish});
}

bool ChunkedDataset::fetch(std::int64_t chunk, StoredChunk& stored) const {
    const std::vector<hsize_t> offset = grid_.offset(chunk);
    hsize_t size = 0;
    const std::size_t most = 2 * chunk_bytes() + 1024;  // larger than zlib output of random bytes
    if (H5Dget_chunk_storage_size(dataset_, offset.data(), &size) < 0 || size == 0 || size > most)
        return false;
    stored.bytes.resize(size);
    return H5Dread_chunk(dataset_, H5P_DEFAULT, offset.data(), &stored.mask, stored.bytes.data()) >= 0;
}

bool ChunkedDataset::unpack(std::int64_t chunk, const StoredChunk& stored, const ElementRange& range,
                            std::byte* data, ChunkCodec& codec, std::vector<std::byte>& whole) const {
    const std::size_t width = filters_.element_bytes;
    const ElementRange elements = grid_.elements(chunk), wanted = common(elements, range);
    std::byte* const to = data + static_cast<std::size_t>(wanted.begin - range.begin) * width;
    const std::size_t bytes = static_cast<std::size_t>(wanted.size()) * width;
    if (bytes == chunk_bytes()) return codec.decode(stored, {to, bytes});
    whole.resize(chunk_bytes());
    if (!codec.decode(stored, whole)) return false;
    std::memcpy(to, whole.data() + static_cast<std::size_t>(wanted.begin - elements.begin) * width, bytes);
    return true;
}

bool ChunkedDataset::read(const ElementRange& range, void* data, ThreadPool& pool) const {
    const std::int64_t first = grid_.chunk_of(range.begin), n = grid_.chunk_of(range.end - 1) - first + 1;
    const int window = pipeline_window(pool);
    std::vector<ChunkCodec> codec = codecs(filters_, pool.threads());
    std::vector<std::vector<std::byte>> whole(static_cast<std::size_t>(pool.threads()));
    std::vector<StoredChunk> stored(static_cast<std::size_t>(window));
    struct Unreadable {};
    const auto require = [](bool good) {
        if (!good) throw Unreadable{};
    };
    const auto place = [&](std::int64_t i) -> StoredChunk& {
        return stored[static_cast<std::size_t>(i % window)];
    };
    const auto prepare = [&](std::int64_t i) { require(fetch(first + i, place(i))); };
    const auto work = [&](std::int64_t i, int thread) {
        require(
            unpack(first + i, place(i), range, static_cast<std::byte*>(data), codec[thread], whole[thread]));
    };
    try {
        run_pipeline(pool, n, window, {prepare, work, [](std::int64_t) {}});
    } catch (const Unreadable&) {
        H5Eclear2(H5E_DEFAULT);
        return false;
    }
    return true;
}

}  // namespace psflip
