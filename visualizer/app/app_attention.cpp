// What the Attention tab shows is computed again from the tokens; here it is asked for.

#include <algorithm>

#include "lessons/scenarios/model_choice.h"
#include "visualizer/app/app.h"

namespace kvarium::ui {

/// Of the whole run as far as it is known, not only of the moment: so time travel asks nothing new.
void App::ask_probe() {
  if (tab_ != kAttentionTab || compare_.open) return;
  const World& world = run_->player.world();
  const auto id = probed_request(world, selection_.selected);
  ProbeQuestion question;
  // The run's own model where it is known: another file may have the same name and shape, and other weights.
  if (id) question.model = used_ != nullptr ? used_->model : models_.find(world.model);
  if (question.model == nullptr) return probes_.forget();
  attention_.move_layer(world.model, 0);
  attention_.move_head(world.model, 0);
  const RequestState& request = run_->trace.newest().request(*id);
  const std::size_t most = ProbeService::most_tokens(world.model);
  const std::size_t known = std::min(request.tokens.size(), most);
  question.layer = attention_.layer;
  question.tokens.assign(request.tokens.begin(), request.tokens.begin() + static_cast<std::ptrdiff_t>(known));
  const std::uint64_t whole = std::uint64_t{request.prompt_tokens} + request.max_new_tokens;
  question.room = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, known, most));
  probes_.ask(question);
}

ProbeAnswer App::probe_answer() const {
  ProbeAnswer answer = probes_.answer();
  const World& newest = run_->trace.newest();
  const auto id = probed_request(run_->player.world(), selection_.selected);
  if (!id) return answer;
  const std::vector<TokenId>& tokens = newest.request(*id).tokens;
  if (tokens.size() > answer.total && answer.state != ProbeAnswer::State::no_model)
    answer.left_out = static_cast<std::uint32_t>(tokens.size() - answer.total);
  // Another request may have been selected since the question was asked.
  const bool of_it = answer.probe != nullptr && answer.probe->tokens.size() <= tokens.size() &&
                     std::equal(answer.probe->tokens.begin(), answer.probe->tokens.end(), tokens.begin());
  if (!of_it) answer.probe.reset();
  return answer;
}

}  // namespace kvarium::ui
