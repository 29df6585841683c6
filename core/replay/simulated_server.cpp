#include "core/replay/simulated_server.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

#include "core/error.h"

namespace kvarium {
namespace {

constexpr std::uint64_t kTellEvery = 64;  ///< requests
constexpr double kMilliseconds = 1e3;     ///< in a second

class Simulation {
 public:
  Simulation(const RequestTrace& trace, const std::vector<std::uint64_t>& hit_tokens, const ServerProfile& server)
      : requests_(trace.requests), hit_tokens_(hit_tokens), server_(server) {}

  bool done() const { return next_ == requests_.size() && answers_.empty(); }
  std::uint64_t prefilled() const { return next_; }

  void step() {
    if (answers_.empty()) now_ = std::max(now_, arrival(next_));
    StepCost cost(server_);
    const auto running = static_cast<double>(answers_.size());
    cost.add_answers(running, contexts_ + running);
    const std::size_t prefilled = prefill(cost);
    ++times_.steps;
    now_ += cost.seconds();
    busy_ += cost.seconds();
    contexts_ += running;
    finish_answers();
    for (; next_ < prefilled; ++next_) first_token(requests_[next_]);
  }

  SimulatedTimes times() && {
    times_.ttft_ms = percentiles(std::move(ttft_));
    times_.tpot_ms = percentiles(std::move(tpot_));
    times_.end_ms = now_ * kMilliseconds;
    times_.busy_ms = busy_ * kMilliseconds;
    return times_;
  }

 private:
  struct Answer {
    std::uint64_t last_step;
    double first_token;  // seconds
    std::uint32_t input_tokens;
    std::uint32_t output_tokens;
    bool operator<(const Answer& other) const { return last_step > other.last_step; }  // soonest on top
  };

  double arrival(std::size_t request) const { return requests_[request].arrival_ms / kMilliseconds; }

  /// Spends what is left of the budget on the prompts that have arrived; returns the first that is not complete.
  std::size_t prefill(StepCost& cost) {
    const double budget = server_.tokens_per_step;
    double left = std::max(1.0, budget - static_cast<double>(answers_.size()));
    std::size_t request = next_;
    while (request < requests_.size() && arrival(request) <= now_ && left > 0) {
      const double input = std::max(1.0, static_cast<double>(requests_[request].input_tokens));
      if (computed_ == 0) computed_ = std::min(static_cast<double>(hit_tokens_[request]), input - 1);
      const double chunk = std::min(left, input - computed_);
      cost.add_prompt(computed_, chunk);
      left -= chunk;
      computed_ += chunk;
      if (computed_ < input) break;
      computed_ = 0;
      ++request;
    }
    return request;
  }

  void first_token(const TracedRequest& request) {
    ttft_.push_back(now_ * kMilliseconds - request.arrival_ms);
    if (request.output_tokens < 2) return;
    answers_.push({times_.steps + request.output_tokens - 1, now_, request.input_tokens, request.output_tokens});
    contexts_ += request.input_tokens;
  }

  void finish_answers() {
    for (; !answers_.empty() && answers_.top().last_step == times_.steps; answers_.pop()) {
      const Answer& answer = answers_.top();
      const double later_tokens = answer.output_tokens - 1.0;
      tpot_.push_back((now_ - answer.first_token) * kMilliseconds / later_tokens);
      contexts_ -= answer.input_tokens + later_tokens;
    }
  }

  const std::vector<TracedRequest>& requests_;
  const std::vector<std::uint64_t>& hit_tokens_;
  const ServerProfile& server_;
  SimulatedTimes times_;
  double now_ = 0;   // seconds
  double busy_ = 0;  // seconds
  // Invariant: requests below next_ are prefilled; of next_ itself computed_ tokens are there; none of those above.
  std::size_t next_ = 0;
  double computed_ = 0;
  std::priority_queue<Answer> answers_;
  double contexts_ = 0;  // tokens with K and V of all answers under way
  std::vector<double> ttft_, tpot_;
};

}  // namespace

std::optional<SimulatedTimes> simulate_server(const RequestTrace& trace, const std::vector<std::uint64_t>& hit_tokens,
                                              const ServerProfile& server, const OnProgress& on_progress,
                                              const CancelToken& cancel) {
  if (hit_tokens.size() != trace.requests.size()) throw MisuseError("hit tokens are needed for each request");
  Simulation simulation(trace, hit_tokens, server);
  std::uint64_t told = 0;
  while (!simulation.done()) {
    if (cancel.cancelled()) return std::nullopt;
    simulation.step();
    if (!on_progress || simulation.prefilled() < told + kTellEvery) continue;
    told = simulation.prefilled();
    on_progress({told, trace.requests.size()});
  }
  return std::move(simulation).times();
}

}  // namespace kvarium
