#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/words/words.h"
#include "cuda/demos/list.h"

namespace kvarium::cuda::demos {
namespace {

/// The index of the entry with this id, 0 for an empty one.
template <typename Entry>
std::size_t find(const std::vector<Entry>& entries, std::string_view id, std::string_view complaint) {
  if (id.empty()) return 0;
  std::string names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].id == id) return i;
    names += (names.empty() ? "" : ", ") + entries[i].id;
  }
  throw InputError(tr_format(complaint, id, names));
}

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> kAll{attention_decode_demos(),
                                        attention_prefill_demos(),
                                        attention_mla_demos(),
                                        store_kv_demos(),
                                        copy_blocks_demos(),
                                        quantize_kv_demos(),
                                        linear_demos(),
                                        rms_norm_demos(),
                                        rope_demos(),
                                        swiglu_demos(),
                                        embed_demos(),
                                        softmax_demos(),
                                        sampling_demos(),
                                        verify_draft_demos()};
  return kAll;
}

double farthest_off(const Output& output) {
  if (output.numbers.size() != output.exact.size()) return INFINITY;
  double farthest = 0;
  for (std::size_t i = 0; i < output.numbers.size(); ++i) {
    if (std::isnan(output.numbers[i]) && std::isnan(output.exact[i])) continue;
    const double off = std::fabs(static_cast<double>(output.numbers[i]) - output.exact[i]);
    farthest = std::isnan(off) ? INFINITY : std::fmax(farthest, off);
  }
  return farthest;
}

DemoPlace find_demo(std::string_view kernel, std::string_view rung, std::string_view problem) {
  DemoPlace place;
  place.kernel = find(kernels(), kernel, "there is no kernel \"{}\"; there are {}");
  place.rung = find(place.of_kernel().rungs, rung, "the kernel has no rung \"{}\"; it has {}");
  place.problem = find(place.of_rung().problems, problem, "the rung has no problem \"{}\"; it has {}");
  return place;
}

}  // namespace kvarium::cuda::demos
