#pragma once
// Into how many parts the keys of attention_decode are cut: a host's decision.

namespace kvarium::cuda {

inline constexpr unsigned kFewestKeysASplit = 256, kMostSplits = 64;

/// A device runs `at_once` blocks at the same time, and waves of as many one after another; a last wave that is nearly
/// empty costs as much as a full one. The fewest splits that leave at most a tenth of the device idle, or those that
/// leave the least. Splits of fewer than kFewestKeysASplit of the `longest` sequence's keys are not worth the merge.
inline unsigned decode_splits(unsigned long long blocks, unsigned longest, unsigned at_once) {
  unsigned best = 1;
  double best_share = 0;
  for (unsigned splits = 1; splits <= kMostSplits && (splits == 1 || longest / splits >= kFewestKeysASplit); ++splits) {
    const unsigned long long waves = (blocks * splits + at_once - 1) / at_once;
    const double share = static_cast<double>(blocks * splits) / static_cast<double>(waves * at_once);
    if (share > best_share) {
      best = splits;
      best_share = share;
    }
    if (share >= 0.9) break;
  }
  return best;
}

}  // namespace kvarium::cuda
