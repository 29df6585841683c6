#pragma once
// How fast this machine reads its memory and multiplies matrices, measured when it is asked for.

#include "core/cost/hardware.h"

namespace kvarium::cpu {

/// "this machine": FP32 matrix products of Eigen and sums over far more floats than a cache holds, on all of its
/// threads, the best of several tries. Takes about a second and 256 MiB. What others run meanwhile makes it slower.
HardwareProfile measure_machine();

}  // namespace kvarium::cpu
