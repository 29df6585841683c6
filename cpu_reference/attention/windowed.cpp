#include "cpu_reference/attention/windowed.h"

#include "cpu_reference/attention/naive.h"

namespace kvarium::cpu {

Matrix attention_windowed(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values, const Heads& heads,
                          std::uint32_t window, Work& work) {
  if (window == 0) throw MisuseError("attention_windowed: a window of 0 tokens");
  return attention_naive(queries, keys, values, heads, work, window);
}

}  // namespace kvarium::cpu
