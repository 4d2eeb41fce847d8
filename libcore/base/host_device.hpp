#pragma once

/// Marks functions that run on the host and on the device.
#ifdef __CUDACC__
#define PSFLIP_HD __host__ __device__ __forceinline__
#else
#define PSFLIP_HD inline
#endif
