#pragma once
// A kernel is read by one of two compilers: by nvcc, for a device, or by the host's own compiler, for the emulator.
// Each puts its names into a namespace of its own, so that both builds of one kernel fit into one program:
//
//   namespace kvarium::cuda { inline namespace SIMT_BACKEND { ... } }

#if defined(__CUDACC__)
#define SIMT_ON_DEVICE 1
#define SIMT_BACKEND device
#define SIMT_UNROLL _Pragma("unroll")
#else
#define SIMT_ON_DEVICE 0
#define SIMT_BACKEND emulated
#define SIMT_UNROLL
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's own words, which say nothing to a
// host.
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
#endif
