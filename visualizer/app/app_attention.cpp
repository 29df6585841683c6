// What the Attention tab shows is computed again from the tokens; here it is asked for.

#include <algorithm>

#include "visualizer/app/app.h"

namespace kvarium::ui {

/// Of the whole run as far as it is known, not only of the moment: so time travel asks nothing new.
void App::ask_probe() {
  if (tab_ != kAttentionTab || compare_.open) return;
  const World& world = run_->player.world();
  const auto id = probed_request(world, selection_.selected);
  if (!id || world.model.kv_kind != KvKind::heads) return probes_.forget();
  attention_.move_layer(world.model, 0);
  attention_.move_head(world.model, 0);
  const RequestState& request = run_->trace.newest().request(*id);
  const std::size_t known = std::min<std::size_t>(request.tokens.size(), ProbeService::kMostTokens);
  ProbeQuestion question;
  question.model = models_.find(world.model);
  question.layer = attention_.layer;
  question.tokens.assign(request.tokens.begin(), request.tokens.begin() + static_cast<std::ptrdiff_t>(known));
  const std::uint64_t whole = std::uint64_t{request.prompt_tokens} + request.max_new_tokens;
  question.room = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, known, ProbeService::kMostTokens));
  probes_.ask(question);
}

ProbeAnswer App::probe_answer() const {
  ProbeAnswer answer = probes_.answer();
  const World& newest = run_->trace.newest();
  const auto id = probed_request(run_->player.world(), selection_.selected);
  if (!id) return answer;
  const std::size_t tokens = newest.request(*id).tokens.size();
  if (tokens > answer.total && answer.state != ProbeAnswer::State::no_model)
    answer.left_out = static_cast<std::uint32_t>(tokens - answer.total);
  return answer;
}

}  // namespace kvarium::ui
