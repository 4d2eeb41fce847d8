#pragma once

#include "sweep/fused/fused_block_cuda.cuh"

namespace psflip {

/// Sends messages between neighbouring blocks of a lane group through device memory. One 64-bit store sends a
/// 32-bit word and the number of the exchange. By this number the receiver sees that the word has arrived,
/// without fence or flag. Two neighbouring blocks send messages to each other in every second exchange, and
/// use the two buffers of a mailbox in turn. After a block receives the message of an exchange, its own
/// message of the previous exchange has been read and may be overwritten. All blocks must be on the device at
/// the same time (cooperative launch).
template <class Block>
struct FusedMessages {
    using V = typename Block::V;
    static constexpr std::uint32_t words = Block::words, lanes = Block::lanes;
    const FusedArgs& a;
    const Block& held;
    std::uint32_t number;  ///< number of the exchange

    __device__ __forceinline__ FusedMessages(const FusedArgs& args, const Block& p, int burst)
        : a(args), held(p), number(args.first_message + burst) {}

    /// Sends the spins of a local slot across edge `edge`, between the blocks `edge` and `edge` + 1.
    /// Direction 0 leads to the next block, direction 1 to the previous block. All threads of the block must
    /// call it.
    __device__ __forceinline__ void send_spins(std::uint32_t edge, std::uint32_t direction,
                                               std::uint32_t local) const {
        std::uint64_t* const to = mailbox(edge, direction);
        for (std::uint32_t i = threadIdx.x; i < a.sweep.geometry.sites; i += blockDim.x) {
            V spins = held.spins.load(held.address(a, i, local), 0);
#pragma unroll
            for (int w = 0; w < words; ++w) send(to + w * a.sweep.geometry.sites + i, word_ref(spins, w));
        }
    }
    /// Sends the energies, magnetisations and labels of a local slot. All threads of the block must call it.
    __device__ __forceinline__ void send_lanes(std::uint32_t edge, std::uint32_t direction,
                                               std::uint32_t local) const {
        std::uint64_t* const to = mailbox(edge, direction) + words * a.sweep.geometry.sites;
        for (std::uint32_t i = threadIdx.x; i < numbers() + lanes / 4; i += blockDim.x)
            send(to + i, *lane_word(local, i));
    }
    /// Waits for the message of the other block and stores it in a local slot. All threads of the block must
    /// call it.
    __device__ __forceinline__ void receive(std::uint32_t edge, std::uint32_t direction,
                                            std::uint32_t local) const {
        constexpr int batch = 4;
        const std::uint64_t* const from = mailbox(edge, direction);
        for (std::uint32_t begin = threadIdx.x; begin < a.message_words; begin += batch * blockDim.x) {
            std::uint64_t word[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j)
                if (begin + j * blockDim.x < a.message_words) word[j] = look(from + begin + j * blockDim.x);
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const std::uint32_t i = begin + j * blockDim.x;
                if (i >= a.message_words) break;
                while (static_cast<std::uint32_t>(word[j] >> 32) != number) word[j] = look(from + i);
                store(local, i, static_cast<std::uint32_t>(word[j]));
            }
        }
    }

  private:
    __device__ __forceinline__ std::uint64_t* mailbox(std::uint32_t edge, std::uint32_t direction) const {
        const std::size_t box = (std::size_t{held.mailbox} * (a.plan.blocks - 1) + edge) * 2 + direction;
        return a.mailboxes + (box * 2 + (number >> 1 & 1)) * a.message_words;
    }
    __device__ __forceinline__ void send(std::uint64_t* to, std::uint32_t word) const {
        const std::uint64_t numbered = std::uint64_t{number} << 32 | word;
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(numbered) : "memory");
    }
    __device__ __forceinline__ static std::uint64_t look(const std::uint64_t* at) {
        std::uint64_t word;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
        return word;
    }
    /// Returns the number of energies and magnetisations of a slot.
    __device__ __forceinline__ std::uint32_t numbers() const {
        return !Block::plain && a.plan.magnetisations ? 2 * lanes : lanes;
    }
    /// Returns word i of the energies, magnetisations and labels of a slot.
    __device__ __forceinline__ std::uint32_t* lane_word(std::uint32_t local, std::uint32_t i) const {
        if (i < lanes) return held.template at<std::uint32_t>(a.layout.energy) + local * lanes + i;
        if (i < numbers())
            return held.template at<std::uint32_t>(a.layout.magnetisation) + local * lanes + i - lanes;
        return held.template at<std::uint32_t>(a.layout.label) + local * (lanes / 4) + i - numbers();
    }
    __device__ __forceinline__ void store(std::uint32_t local, std::uint32_t i, std::uint32_t word) const {
        const std::uint32_t sites = a.sweep.geometry.sites, w = words == 1 ? 0 : i / sites;
        if (i < words * sites)
            store_shared(held.address(a, i - w * sites, local) + 4 * w, word);
        else
            *lane_word(local, i - words * sites) = word;
    }
};

}  // namespace psflip
