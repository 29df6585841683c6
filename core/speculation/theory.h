#pragma once
// What speculation can be worth, by formula (Leviathan et al. 2023, equation 1 and theorem 3.8), under the assumption
// that each draft is accepted with the same probability alpha, whatever came before.

#include <cstdint>

namespace kvarium {

/// That a draft is accepted which the target says with p and the proposer drew with q: p / q, and 1 where p is larger;
/// 0 where p or q is 0.
double acceptance_probability(double p, double q);

/// Tokens that one pass of the target gives with k drafts: (1 - alpha^(k+1)) / (1 - alpha), from 1 to k + 1. The token
/// behind the accepted drafts counts: it is there in every round. MisuseError when alpha is not in [0, 1].
double expected_tokens(double alpha, std::uint32_t k);
/// Of them the accepted drafts alone: one less.
double expected_accepted(double alpha, std::uint32_t k);

/// The probability that of k drafts exactly `accepted` are accepted: the next one is rejected, or there is none.
/// MisuseError when alpha is not in [0, 1] or more are accepted than there are.
double probability_of_accepted(double alpha, std::uint32_t k, std::uint32_t accepted);

/// How much faster than plain decoding: expected_tokens / (1 + c * k), where one step of the draft costs c steps of the
/// target and a pass over k + 1 tokens costs as much as one over a single token, which holds as long as reading the
/// weights takes the time. MisuseError for a negative c.
double expected_speedup(double alpha, std::uint32_t k, double c);

/// The k from 0 (no speculation) to `most` with the largest speed-up; of equals the smallest.
std::uint32_t best_draft_length(double alpha, double c, std::uint32_t most);

}  // namespace kvarium
