#pragma once
// What the host needs to run kernels: Stream, Event, DeviceBuffer<T>, launch(kernel, grid, block, shared_bytes, stream,
// arguments...), blocks_at_once(). The same names on a device and in the emulator.

#include "cuda/simt/backend.h"
#include "cuda/simt/out_of_device_memory.h"

#if SIMT_ON_DEVICE
#include "cuda/simt/device/device_buffer.cuh"
#include "cuda/simt/device/launch.cuh"
#else
#include "cuda/simt/emulator/device_buffer.h"
#include "cuda/simt/emulator/launch.h"
#endif
