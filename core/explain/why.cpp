#include "core/explain/why.h"

#include <algorithm>
#include <optional>
#include <span>
#include <variant>

#include "core/words/words.h"

namespace kvarium {
namespace {

/// The last event of the kind among the first `end` for which `is_it` holds.
template <typename Kind, typename IsIt>
std::optional<std::size_t> last_of(const Trace& trace, std::size_t end, const IsIt& is_it) {
  for (std::size_t i = std::min(end, trace.size()); i-- > 0;) {
    const auto* event = std::get_if<Kind>(&trace[i]);
    if (event != nullptr && is_it(*event)) return i;
  }
  return std::nullopt;
}

/// Who takes a block next in the same step: room was made for it.
std::optional<RequestId> next_taker(const Trace& trace, std::size_t event) {
  for (std::size_t i = event + 1; i < trace.size() && !std::holds_alternative<StepTimed>(trace[i]); ++i) {
    if (const auto* taken = std::get_if<BlockAllocated>(&trace[i])) return taken->request;
    if (const auto* copied = std::get_if<BlockCopied>(&trace[i])) return copied->request;
    if (std::holds_alternative<PrefixCacheReset>(trace[i])) break;
  }
  return std::nullopt;
}

std::string removed_words(const Trace& trace, std::size_t event, const World& before, NodeId id) {
  const RadixNodeState& node = *before.radix[index(id)];
  const std::optional<RequestId> taker = next_taker(trace, event);
  if (!taker) return tr_format("the whole cache was emptied after step {}", before.step);
  return tr_format(
      "in step {}, request {} needed room; nobody held a lock on the node, nothing hung below it, and it "
      "was used last in step {}",
      before.step, letter(*taker), node.used_step);
}

/// The node that holds the block, if it is evicted at this event.
bool holds(const World& world, NodeId node, BlockId block) {
  const auto& blocks = world.radix[index(node)]->blocks;
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

/// The last removal of a node that held the block. One walk forwards: only the World before a removal says what the
/// node holds, and to fold up to each of them anew would take the square of the time.
std::optional<std::size_t> last_removal(const Trace& trace, BlockId block, std::size_t end) {
  std::optional<std::size_t> last;
  World world;
  for (std::size_t i = 0; i < std::min(end, trace.size()); ++i) {
    const auto* removed = std::get_if<RadixNodeRemoved>(&trace[i]);
    if (removed != nullptr && holds(world, removed->node, block)) last = i;
    fold(world, trace[i]);
  }
  return last;
}

std::string removed_with_node(const Trace& trace, BlockId block, std::size_t end) {
  const std::optional<std::size_t> event = last_removal(trace, block, end);
  if (!event) return {};
  const NodeId node = std::get<RadixNodeRemoved>(trace[*event]).node;
  return tr_format("Block {} was evicted with node {}: {}.", value(block), value(node),
                   removed_words(trace, *event, trace.world_at(*event), node));
}

std::string spans(const BlockReason& from, const BlockReason& to) {
  const std::uint32_t last = to.first + to.count - 1;
  return from.first == last ? tr_format("Token {}", last) : tr_format("Tokens {} to {}", from.first, last);
}

/// But for the block that it names.
bool same_reason(const BlockReason& a, const BlockReason& b) {
  return a.fate == b.fate && a.by == b.by && a.step == b.step && a.equal == b.equal;
}

/// "3, 5, 7 and 12 more"
std::string block_list(std::span<const BlockReason> blocks) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(blocks.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(value(blocks[i].block.value_or(BlockId{0})));
  }
  return blocks.size() > kMost ? tr_format("{} and {} more", text, blocks.size() - kMost) : text;
}

/// Of blocks in a row that have the same reason.
std::string run_sentence(std::span<const BlockReason> blocks, RequestId request) {
  const BlockReason& first = blocks.front();
  if (blocks.size() > 1 && first.fate == BlockFate::hit) {
    return tr_format("Found in blocks {}: request {} computed them in step {}.", block_list(blocks), letter(*first.by),
                     first.step);
  }
  if (blocks.size() > 1 && first.fate == BlockFate::behind_a_miss) {
    return tr_format("They are cached in blocks {}, but something before them is not: a hit has no gaps.",
                     block_list(blocks));
  }
  return sentence(first, request);
}

std::string summary(const MissExplanation& why) {
  const std::uint32_t tokens = why.blocks.empty() ? 0 : why.blocks.back().first + why.blocks.back().count;
  const std::string what = why.resumed == 0 ? tr_format("Request {} started in step {}", letter(why.request), why.step)
                                            : tr_format("Request {} started again in step {}, after {} preemptions",
                                                        letter(why.request), why.step, why.resumed);
  return tr_format("{}: {} of its {} tokens were found in the prefix cache.", what, why.hit_tokens, tokens);
}

std::string nothing_to_explain(const Trace& trace, RequestId id, std::size_t end) {
  const World world = trace.world_at(std::min(end, trace.size()));
  if (index(id) >= world.requests.size()) return tr_format("Request {} has not arrived yet.", letter(id));
  const RequestState& request = world.request(id);
  if (request.parent) {
    return tr_format("Request {} was forked from {}: it shares all blocks that {} had, and looked nothing up.",
                     letter(id), letter(*request.parent), letter(*request.parent));
  }
  if (world.block_size == 0) return std::string(tr("There are no blocks, and so no prefix cache."));
  return tr_format("Request {} has not been admitted yet: nothing was looked up for it.", letter(id));
}

}  // namespace

std::string why_evicted(const Trace& trace, BlockId block, std::size_t end) {
  const auto event = last_of<BlockEvicted>(trace, end, [&](const BlockEvicted& e) { return e.block == block; });
  if (!event) {
    const auto expired = last_of<BlockExpired>(trace, end, [&](const BlockExpired& e) { return e.block == block; });
    if (!expired) return removed_with_node(trace, block, end);
    return tr_format("Block {} expired after step {}: nobody used it for as long as cached blocks live.", value(block),
                     trace.world_at(*expired).step);
  }
  const World before = trace.world_at(*event);
  const BlockState& state = before.blocks[index(block)];
  const bool at_head = !before.free_blocks.empty() && before.free_blocks.front() == block;
  return tr_format(
      "Block {} was evicted in step {}: request {} needed a block, "
      "and this one {}. It held what request {} computed in step {}.",
      value(block), before.step, letter(std::get<BlockEvicted>(trace[*event]).request),
      at_head ? tr("stood at the head of the free queue") : tr("was the eviction policy's choice"),
      letter(state.writer), state.written_step);
}

std::string why_removed(const Trace& trace, NodeId node, std::size_t end) {
  const auto event = last_of<RadixNodeRemoved>(trace, end, [&](const RadixNodeRemoved& e) { return e.node == node; });
  if (!event) return {};
  const World before = trace.world_at(*event);
  return tr_format("Node {} was evicted: {}.", value(node), removed_words(trace, *event, before, node));
}

std::string why_preempted(const Trace& trace, RequestId request, std::size_t end) {
  const auto event =
      last_of<RequestPreempted>(trace, end, [&](const RequestPreempted& e) { return e.request == request; });
  if (!event) return {};
  const std::uint64_t step = trace.step_at(*event);
  const World before = trace.world_at(step == 0 ? 0 : trace.start_of_step(step));
  std::size_t running = 0;
  bool newest = true, least = false;
  for (const auto& other : before.requests) {
    if (other->status != RequestStatus::running) continue;
    ++running;
    if (other->id == request) continue;
    newest = newest && other->admitted_step <= before.request(request).admitted_step;
    least = least || other->priority > before.request(request).priority;
  }
  const std::optional<RequestId> taker = next_taker(trace, *event);
  const std::string who = taker && *taker != request ? tr_format("request {} needed a block", letter(*taker))
                                                     : std::string(tr("its next token needed a block"));
  const std::string_view choice = least          ? tr("of those that ran it had the lowest priority")
                                  : running == 1 ? tr("nobody else ran")
                                  : newest       ? tr("of those that ran it was admitted last")
                                                 : tr("the scheduler chose it");
  return tr_format("Request {} was preempted in step {}: {}, {} of {} blocks were free, and {}.", letter(request), step,
                   who, before.free_blocks.size(), before.blocks.size(), choice);
}

std::vector<std::string> explain(const Trace& trace, RequestId request, std::size_t end) {
  if (index(request) >= trace.newest().requests.size()) return {nothing_to_explain(trace, request, end)};
  const std::optional<MissExplanation> why = explain_misses(trace, request, end);
  if (!why) return {nothing_to_explain(trace, request, end)};
  std::vector<std::string> lines{summary(*why)};
  for (std::size_t i = 0; i < why->blocks.size();) {
    std::size_t last = i;
    while (last + 1 < why->blocks.size() && same_reason(why->blocks[i], why->blocks[last + 1])) ++last;
    lines.push_back(spans(why->blocks[i], why->blocks[last]) + ": " +
                    run_sentence(std::span(why->blocks).subspan(i, last + 1 - i), request));
    i = last + 1;
  }
  if (const std::string preempted = why_preempted(trace, request, end); !preempted.empty()) lines.push_back(preempted);
  return lines;
}

std::vector<std::string> explain_block(const Trace& trace, RequestId request, std::size_t logical, std::size_t end) {
  const std::optional<MissExplanation> why = explain_misses(trace, request, end);
  if (!why) return {nothing_to_explain(trace, request, end)};
  if (logical >= why->blocks.size()) {
    return {tr_format("Block {} of request {}'s text holds its answer: it was computed, not looked up.", logical,
                      letter(request))};
  }
  const BlockReason& reason = why->blocks[logical];
  return {spans(reason, reason) + ": " + sentence(reason, request)};
}

}  // namespace kvarium
