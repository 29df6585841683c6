#pragma once
// What a kernel includes. The same source compiles with nvcc for a device and with the host's compiler for the
// emulator:
//
//   gptr<T>, sptr<T>            pointers to global and shared memory; use p[i], p + i, load_vec, store_vec
//   SIMT_SHARED(float[8], name) an array in shared memory
//   SIMT_DYNAMIC_SHARED(float, name)   one whose size is given at the launch
//   SIMT_UNROLL                 before a loop to unroll
//   SIMT_PAUSE("label")         where a stepper stops; SIMT_SHOW("name", x): a register that it shows
//
// threadIdx ... __syncthreads, __syncwarp, __shfl_*_sync, __ballot_sync, atomicAdd ... are as in CUDA.

#include "cuda/simt/backend.h"

#if SIMT_ON_DEVICE
#include "cuda/simt/device/kernel_memory.cuh"
#else
#include "cuda/simt/emulator/atomics.h"
#include "cuda/simt/emulator/builtins.h"
#include "cuda/simt/emulator/kernel_memory.h"
#include "cuda/simt/emulator/sync.h"
#include "cuda/simt/emulator/warp.h"
#endif
