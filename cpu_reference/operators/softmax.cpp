#include "cpu_reference/operators/softmax.h"

#include <cmath>
#include <limits>

namespace kvarium::cpu {

void softmax(MatrixInOut x) {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  if (x.cols() == 0) return;
  for (Index r = 0; r < x.rows(); ++r) {
    auto row = x.row(r).array();
    const float maximum = row.maxCoeff<Eigen::PropagateNaN>();
    if (std::isnan(maximum)) {
      row.setConstant(maximum);
    } else if (maximum == kMasked) {
      row.setZero();
    } else {
      // Eigen's fast exp is a little above 0 at -infinity, so the mask is applied after it.
      row = (row == kMasked).select(0.0F, (row - maximum).exp());
      row /= row.sum();
    }
  }
}

}  // namespace kvarium::cpu
