#include "core/metrics/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"

namespace kvarium {
namespace {

class Rows {
 public:
  void count(std::string_view name, std::uint64_t left, std::uint64_t right) {
    std::string delta;
    if (right > left) delta = fmt::format("+{}", right - left);
    if (right < left) delta = fmt::format("-{}", left - right);
    rows.push_back({std::string(tr(name)), std::to_string(left), std::to_string(right), delta});
  }
  /// Shares from 0 to 1. What looks equal as printed counts as equal.
  void percent(std::string_view name, double left, double right) {
    const auto shown = [](double part) { return fmt::format("{:.1f} %", 100 * part); };
    const bool equal = shown(left) == shown(right);
    rows.push_back({std::string(tr(name)), shown(left), shown(right),
                    equal ? std::string() : fmt::format("{:+.1f} %", 100 * (right - left))});
  }

  std::vector<ComparedRow> rows;
};

std::uint64_t longest_wait(const MetricsSummary& summary) {
  return summary.longest_wait ? summary.requests[index(*summary.longest_wait)].waited.steps : 0;
}

/// Characters, not bytes: titles may hold any letters.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

std::vector<ComparedRow> compare(const MetricsSummary& left, std::uint64_t left_steps, const MetricsSummary& right,
                                 std::uint64_t right_steps) {
  const StepMetrics &a = left.now, &b = right.now;
  Rows rows;
  rows.count("requests finished", a.finished, b.finished);
  rows.count("requests running", a.running, b.running);
  rows.count("requests waiting", a.waiting + a.preempted, b.waiting + b.preempted);
  rows.count("tokens found in the cache", a.prefix.hit_tokens, b.prefix.hit_tokens);
  rows.percent("hit rate", hit_rate(a.prefix), hit_rate(b.prefix));
  rows.count("tokens computed", a.computed_tokens, b.computed_tokens);
  rows.count("tokens sampled", a.sampled_tokens, b.sampled_tokens);
  rows.count("blocks in use", a.blocks_in_use, b.blocks_in_use);
  rows.count("most blocks in use", left.most_blocks_in_use, right.most_blocks_in_use);
  rows.count("empty slots of held ones", a.empty_slots, b.empty_slots);
  rows.count("preemptions", a.preemptions, b.preemptions);
  rows.count("blocks evicted", a.evicted_blocks, b.evicted_blocks);
  rows.count("blocks copied on write", a.copies.blocks, b.copies.blocks);
  rows.count("bytes swapped", a.swapped_bytes, b.swapped_bytes);
  rows.count("longest wait (steps)", longest_wait(left), longest_wait(right));
  rows.count("steps of the whole run", left_steps, right_steps);
  return std::move(rows.rows);
}

std::string comparison_text(const std::vector<ComparedRow>& rows, const std::string& left_title,
                            const std::string& right_title) {
  std::size_t name = 0, left = width_of(left_title), right = width_of(right_title);
  for (const ComparedRow& row : rows) {
    name = std::max(name, width_of(row.name));
    left = std::max(left, width_of(row.left));
    right = std::max(right, width_of(row.right));
  }
  const auto line = [&](const std::string& what, const std::string& a, const std::string& b, const std::string& delta) {
    std::string text = padded(what, name + 2) + padded(a, left + 2) + padded(b, right + 2) + delta;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line("", left_title, right_title, std::string(tr("difference")));
  for (const ComparedRow& row : rows) text += line(row.name, row.left, row.right, row.delta);
  return text;
}

}  // namespace kvarium
