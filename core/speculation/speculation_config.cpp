#include "core/speculation/speculation_config.h"

#include <fmt/format.h>

#include "core/error.h"

namespace kvarium {

void check(const SpeculationConfig& config) {
  if (config.length.most == 0 || config.length.most > kMostDrafts) {
    throw InputError(fmt::format("{} drafts a round: ask for 1 to {}", config.length.most, kMostDrafts));
  }
  if (!(config.length.cost >= 0)) throw InputError("a draft step cannot cost less than nothing");
}

}  // namespace kvarium
