#include "cpu_reference/operators/softmax.h"

#include "cpu_reference/operators/online_softmax.h"

namespace kvarium::cpu {

void softmax(MatrixInOut x) {
  for (Index r = 0; r < x.rows(); ++r) {
    OnlineSoftmax state;  // of one row, all at once and without values
    state.weigh({x.row(r).data(), static_cast<std::size_t>(x.cols())});
    if (state.sum != 0.0F) x.row(r) /= state.sum;
  }
}

}  // namespace kvarium::cpu
