#pragma once
// Which drafts the target accepts, and what it says behind them: pure functions of probabilities and random numbers
// that are given. One pass of the target over the pending token and k drafts gives k + 1 distributions p[0] ... p[k]:
//
//   tokens:   pending  d[0]  d[1]  ...  d[k-1]
//   target:     p[0]   p[1]  p[2]  ...   p[k]       d[i] is judged by p[i]; p[k] gives the bonus token

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/speculation/draft.h"

namespace kvarium {

/// One draft before the judge.
struct Trial {
  TokenId token{};
  double p = 0;  ///< of the target
  double q = 0;  ///< of the draft
  double u = 0;  ///< the random number in [0, 1) that decided; 0 where nothing is left to chance
  bool accepted = false;
};

struct Verdict {
  std::vector<Trial> trials;  ///< the drafts in order, up to the first that was rejected
  /// What comes behind the accepted drafts: the bonus token when none was rejected, else the one in its place.
  TokenId next{};
  double next_probability = 0;  ///< of `next`, in the distribution that it was drawn from

  bool rejected() const { return !trials.empty() && !trials.back().accepted; }
  std::uint32_t accepted() const { return static_cast<std::uint32_t>(trials.size()) - (rejected() ? 1 : 0); }
};

/// Greedy decoding: a draft is accepted when it is what the target itself would have said. `best`: [k + 1], the
/// target's likeliest token behind the pending token and behind each draft. MisuseError for another length.
Verdict verify_greedy(std::span<const TokenId> drafts, std::span<const TokenId> best);

/// Where the token comes from that takes the place of a rejected draft.
enum class Recovery : std::uint8_t {
  residual,  ///< max(p - q, 0), normalised: the output has the target's distribution exactly
  target,    ///< p itself: the mistake of the bug zoo. It counts twice what was accepted already
};

/// Modified rejection sampling (Leviathan et al. 2023, algorithm 1; Chen et al. 2023): d[i] is accepted when
/// p / q >= u. With Recovery::residual the tokens have the distribution that plain sampling from the target has,
/// whatever the draft is. `target`: [k + 1][vocab]. `uniforms`: [k + 1], each in [0, 1): one for each draft, the last
/// for the token behind them. p = 0 is never accepted, not even by u = 0. MisuseError for other lengths, for tokens
/// outside the vocabulary, and for a q that is no probability.
Verdict verify_sampled(const Draft& draft, std::span<const std::vector<double>> target,
                       std::span<const double> uniforms, Recovery recovery = Recovery::residual);

struct TypicalOptions {
  double epsilon = 0.09;  ///< a draft this likely is always good enough
  double delta = 0.3;     ///< the surer the target is, the likelier a draft must be: delta * exp(-entropy)
};

/// Typical acceptance (Cai et al. 2024, Medusa, section 2.3.1): a draft is accepted when p > min(epsilon,
/// delta * exp(-H(p))), and nothing is left to chance. This does NOT preserve the target's distribution: what is
/// accepted is only good enough. `next` is drawn from the target with `u`. Lengths as in verify_sampled().
Verdict verify_typical(std::span<const TokenId> drafts, std::span<const std::vector<double>> target, double u,
                       const TypicalOptions& options = {});

}  // namespace kvarium
