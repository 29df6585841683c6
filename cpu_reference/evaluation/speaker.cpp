#include "cpu_reference/evaluation/speaker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {

std::span<const float> Speaker::hear(std::span<const TokenId> tokens, std::uint32_t rows) {
  if (rows == 0 || rows > tokens.size()) {
    throw MisuseError(fmt::format("{} rows of logits of {} tokens", rows, tokens.size()));
  }
  const std::span<const float> logits = compute(tokens, rows);
  if (logits.size() != std::size_t{rows} * shape().vocab) {
    throw MisuseError(fmt::format("{} logits for {} rows of {}", logits.size(), rows, shape().vocab));
  }
  if (!std::all_of(logits.begin(), logits.end(), [](float logit) { return std::isfinite(logit); })) {
    throw InputError(
        tr_format("the model {} computes a logit that is not a finite number: its weights are too large or damaged, "
                  "use another file",
                  shape().name));
  }
  return logits;
}

}  // namespace kvarium::cpu
