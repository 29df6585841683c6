#include "lessons/kit/batch_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"

namespace kvarium {
namespace {

bool in_batch(const World& world, RequestId id) {
  return std::find(world.step_requests.begin(), world.step_requests.end(), id) != world.step_requests.end();
}

bool waits(const World& world, const RequestState& request) {
  const bool ended_before = request.ended() && request.ended_step < world.step;
  return request.arrived_step < world.step && !ended_before && !in_batch(world, request.id);
}

/// "A B C"; a dash for nobody.
std::string spaced(const std::string& letters) {
  std::string text;
  for (const char c : letters) text += (text.empty() ? "" : " ") + std::string(1, c);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string batch_of(const World& after_step) {
  std::string letters;
  for (const auto& request : after_step.requests) {
    if (in_batch(after_step, request->id)) letters += letter(request->id);
  }
  return letters;
}

std::string waiting_in(const World& after_step) {
  std::string letters;
  for (const auto& request : after_step.requests) {
    if (waits(after_step, *request)) letters += letter(request->id);
  }
  return letters;
}

std::vector<std::uint64_t> waiting_steps(const std::vector<World>& after_steps) {
  std::vector<std::uint64_t> steps(after_steps.empty() ? 0 : after_steps.back().requests.size(), 0);
  for (const World& world : after_steps) {
    for (std::size_t i = 0; i < world.requests.size(); ++i) steps[i] += waits(world, *world.requests[i]) ? 1 : 0;
  }
  return steps;
}

std::string batch_figure(const std::vector<World>& after_steps) {
  std::string figure = tr_format("{:>4}  {:<10}  {:<10}  {}", "step", "in the batch", "waiting", "free blocks");
  for (const World& world : after_steps) {
    figure += fmt::format("\n{:>4}  {:<12}  {:<10}  {:>3}", world.step, spaced(batch_of(world)),
                          spaced(waiting_in(world)), world.free_blocks.size());
  }
  return figure;
}

std::string waiting_figure(const std::vector<World>& after_steps) {
  std::string figure = std::string(tr("request  arrived after step  ended in step  steps waited"));
  if (after_steps.empty()) return figure;
  const std::vector<std::uint64_t> waited = waiting_steps(after_steps);
  for (const auto& request : after_steps.back().requests) {
    const std::string ended = request->ended() ? std::to_string(request->ended_step) : "-";
    figure += fmt::format("\n{:<7}  {:>18}  {:>13}  {:>12}", letter(request->id), request->arrived_step, ended,
                          waited[index(request->id)]);
  }
  return figure;
}

}  // namespace kvarium
