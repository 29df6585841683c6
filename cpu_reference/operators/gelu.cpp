#include "cpu_reference/operators/gelu.h"

#include <cmath>
#include <numbers>

namespace kvarium::cpu {

void gelu(MatrixInOut x) {
  const float scale = std::sqrt(2.0F * std::numbers::inv_pi_v<float>);
  x.array() = 0.5F * x.array() * (1.0F + (scale * (x.array() + 0.044715F * x.array().cube())).tanh());
}

}  // namespace kvarium::cpu
