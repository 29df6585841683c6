#include "core/metrics/metrics_text.h"

#include <fmt/format.h>

#include "core/cost/units.h"
#include "core/trace/describe.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string number(double value) { return value == 0 ? "0" : three_digits(value); }

std::string prefix_line(std::string_view what, const PrefixCounts& counts) {
  return tr_format("{}: {} of {} tokens found ({})\n", tr(what), with_commas(counts.hit_tokens),
                   with_commas(counts.queried_tokens), percent(hit_rate(counts)));
}

std::string prefix_lines(const StepMetrics& now) {
  if (now.prefix.queried_tokens == 0) return std::string(tr("Prefix cache: nothing was looked up\n"));
  std::string text = prefix_line("Prefix cache", now.prefix);
  if (now.resumed_prefix.queried_tokens > 0) {
    text += prefix_line("Prefix cache, starting again after a preemption", now.resumed_prefix);
  }
  return text;
}

std::string percentiles_line(std::string_view what, const Percentiles& of, std::string_view unit) {
  return tr_format("{}: half at most {} {}, 90 % {}, 99 % {}\n", tr(what), number(of.p50), tr(unit), number(of.p90),
                   number(of.p99));
}

std::string memory_lines(const MetricsSummary& summary) {
  const StepMetrics& now = summary.now;
  std::string text;
  if (now.blocks > 0) {
    text += tr_format("Blocks in use: {} of {}, at most {} so far\n", now.blocks_in_use, now.blocks,
                      summary.most_blocks_in_use);
  }
  if (now.slots > 0) {
    text += tr_format("Slots held: {} of {} ({})\n", with_commas(now.held_slots), with_commas(now.slots),
                      percent(block_utilisation(now)));
    text += tr_format("Of those empty (fragmentation): {} ({})\n", with_commas(now.empty_slots),
                      percent(fragmentation(now)));
  }
  text += tr_format("Preemptions: {}; blocks evicted from the cache: {}\n", now.preemptions, now.evicted_blocks);
  text += tr_format("Copied on write: {} blocks, {} tokens; swapped: {}\n", now.copies.blocks, now.copies.tokens,
                    binary_size(now.swapped_bytes));
  return text;
}

std::string time_lines(const MetricsSummary& summary) {
  std::string text(summary.now.simulated ? tr("Times are simulated: a cost model made them, no clock.\n")
                                         : tr("Times are of this machine's clock.\n"));
  text += percentiles_line("Time to first token (TTFT)", summary.ttft_ms, "ms");
  text += percentiles_line("Time per output token (TPOT)", summary.tpot_ms, "ms");
  text += percentiles_line("Time in the queue", summary.queue_ms, "ms");
  text += percentiles_line("Waiting, preemptions included", summary.waited_ms, "ms");
  text += percentiles_line("Waiting, preemptions included", summary.waited_steps, "steps");
  if (summary.longest_wait) {
    const Waited& waited = summary.requests[index(*summary.longest_wait)].waited;
    text += tr_format("Request {} waited longest: {} steps\n", letter(*summary.longest_wait), waited.steps);
  }
  return text;
}

/// Milliseconds with all digits that nanoseconds have.
std::string field(const std::optional<double>& milliseconds) {
  return milliseconds ? fmt::format("{:.6f}", *milliseconds) : std::string();
}
std::string field(const std::optional<std::uint64_t>& number) {
  return number ? std::to_string(*number) : std::string();
}

}  // namespace

std::string metrics_text(const MetricsSummary& summary) {
  const StepMetrics& now = summary.now;
  std::string text = tr_format("Step {}: {} running, {} waiting, {} preempted, {} finished, {} aborted\n", now.step,
                               now.running, now.waiting, now.preempted, now.finished, now.aborted);
  text += tr_format("Tokens computed: {}; sampled: {}\n", with_commas(now.computed_tokens),
                    with_commas(now.sampled_tokens));
  return text + prefix_lines(now) + memory_lines(summary) + time_lines(summary);
}

std::string steps_csv(const MetricsLog& log, std::uint64_t last_step) {
  std::string csv =
      "step,time_ms,time_simulated,running,waiting,preempted,finished,aborted,blocks,blocks_in_use,slots,held_slots,"
      "empty_slots,queried_tokens,hit_tokens,resumed_queried_tokens,resumed_hit_tokens,preemptions,evicted_blocks,"
      "copied_blocks,copied_tokens,swapped_bytes,computed_tokens,sampled_tokens\n";
  for (const StepMetrics& at : log.steps()) {
    if (at.step > last_step) break;
    csv += fmt::format("{},{:.6f},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", at.step,
                       static_cast<double>(at.nanoseconds) / 1e6, at.simulated ? 1 : 0, at.running, at.waiting,
                       at.preempted, at.finished, at.aborted, at.blocks, at.blocks_in_use, at.slots, at.held_slots,
                       at.empty_slots, at.prefix.queried_tokens, at.prefix.hit_tokens, at.resumed_prefix.queried_tokens,
                       at.resumed_prefix.hit_tokens, at.preemptions, at.evicted_blocks, at.copies.blocks,
                       at.copies.tokens, at.swapped_bytes, at.computed_tokens, at.sampled_tokens);
  }
  return csv;
}

std::string requests_csv(const MetricsSummary& summary) {
  std::string csv =
      "request,parent,status,prompt_tokens,hit_tokens,answer_tokens,preemptions,arrived_step,admitted_step,ended_step,"
      "waited_steps,waited_ms,queue_ms,ttft_ms,tpot_ms,time_simulated\n";
  for (const RequestMetrics& of : summary.requests) {
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.6f},{},{},{},{}\n", letter(of.id),
                       of.parent ? letter(*of.parent) : std::string(), show(of.status), of.prompt_tokens, of.hit_tokens,
                       of.answer_tokens, of.preemptions, of.arrived_step, field(of.admitted_step), field(of.ended_step),
                       of.waited.steps, static_cast<double>(of.waited.nanoseconds) / 1e6, field(of.queue_ms),
                       field(of.ttft_ms), field(of.tpot_ms), summary.now.simulated ? 1 : 0);
  }
  return csv;
}

}  // namespace kvarium
