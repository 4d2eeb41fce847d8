#pragma once

/// Marks functions that run on the host and on the device.
#ifdef __CUDACC__
#define PSFLIP_HD __host__ __device__ __forceinline__
#else
#define PSFLIP_HD inline
#endif

/// Unrolls the following loop.
#if defined(__CUDACC__) || defined(__clang__)
#define PSFLIP_UNROLL _Pragma("unroll")
#else
#define PSFLIP_UNROLL _Pragma("GCC unroll 64")
#endif
