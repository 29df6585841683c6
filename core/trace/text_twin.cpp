// The states of describe.h as text; the sentences of the events are in describe.cpp.

#include <algorithm>

#include "core/token_text.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/prefix_tree.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::size_t kMostItems = 64;  ///< of a list on one line
constexpr std::size_t kMostRequests = 40;
constexpr std::size_t kMostNodes = 40;  ///< of the prefix cache's tree
constexpr std::size_t kMostTokens = 24;

/// 17384 -> "17,384"
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string more(std::uint64_t left_out) { return tr_format("... {} more", grouped(left_out)); }

std::string line(std::string text) { return std::move(text) + "\n"; }

/// Free blocks, then used blocks, each list cut after `most`.
std::string pool_line(const World& world, std::size_t most) {
  std::string text = "free";
  std::size_t shown = 0;
  for (const BlockId block : world.free_blocks.order()) {
    if (shown == most) {
      text += " " + more(world.free_blocks.size() - most);
      break;
    }
    text += " " + std::to_string(value(block));
    ++shown;
  }
  text += " | used";
  std::size_t used = 0;
  for (std::size_t id = 0; id < world.blocks.size(); ++id) {
    const std::uint32_t ref_count = world.blocks[id].ref_count;
    if (ref_count == 0) continue;
    if (used++ < most) text += " " + std::to_string(id) + "x" + std::to_string(ref_count);
  }
  if (used > most) text += " " + more(used - most);
  return text;
}

std::string table_line(const RequestState& request, std::size_t most) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(request.table.size(), most); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(value(request.table[i]));
  }
  if (request.table.size() > most) text += "," + more(request.table.size() - most);
  return text + "] " + std::to_string(request.computed_tokens) + " tokens";
}

/// What a request holds, in one line; empty when it holds nothing.
std::string memory_line(const World& world, const RequestState& request) {
  if (request.region) {
    return tr_format("slots {} to {}, {} of them filled", request.region->first_slot,
                     request.region->first_slot + request.region->num_slots, request.computed_tokens);
  }
  if (request.table.empty()) return {};
  const std::uint64_t slots = held_slots(world, request);
  const std::uint64_t empty = slots - std::min<std::uint64_t>(slots, request.computed_tokens);
  return tr_format("table {}, {} of {} slots empty ({:.1f} %)", table_line(request, kMostItems), empty, slots,
                   100.0 * static_cast<double>(empty) / static_cast<double>(slots));
}

std::string request_line(const World& world, const RequestState& request) {
  std::string text =
      tr_format("{} {}: prompt {}, generated {} of {}", letter(request.id), show(request.status), request.prompt_tokens,
                request.tokens.size() - request.prompt_tokens, request.max_new_tokens);
  const std::string memory = memory_line(world, request);
  if (!memory.empty()) text += "; " + memory;
  if (request.parent) text += "; " + tr_format("forked from {}", letter(*request.parent));
  if (request.swapped_tokens > 0) text += "; " + tr_format("{} tokens in the host's memory", request.swapped_tokens);
  if (request.preemptions > 0) text += "; " + tr_format("preempted {} times", request.preemptions);
  if (request.new_count > 0) {
    text += "; " + tr_format(request.new_kept ? "this step computed {} positions from {} on"
                                              : "this step computed {} positions from {} on and threw them away",
                             request.new_count, request.new_first);
  }
  if (request.round) {
    text += "; " + tr_format("{} of {} drafts accepted", request.round->accepted(), request.round->tokens.size());
  }
  if (request.draft_cached > 0) {
    text += "; " + tr_format("{} tokens in the draft model's cache", request.draft_cached);
  }
  if (request.read_count > 0) text += "; " + tr_format("read {} positions", request.read_count);
  return text;
}

std::string work_text(const Work& work) {
  return tr_format("{} K/V projections, {} score products, {} bytes read, {} FLOP", grouped(work.kv_projections),
                   grouped(work.score_products), grouped(work.bytes_read), grouped(work.flops));
}

/// The tokens' texts in brackets; the first and the last ones of a long row.
std::string tokens_text(const World& world, const RequestState& request) {
  const std::size_t count = request.tokens.size();
  const std::size_t head = count > kMostTokens ? kMostTokens / 2 : count;
  const std::size_t tail = count > kMostTokens ? count - kMostTokens / 2 : count;
  std::string text;
  for (std::size_t i = 0; i < head; ++i) text += "[" + printable(world.text_of(request.tokens[i])) + "]";
  if (tail > head) text += " " + more(tail - head) + " ";
  for (std::size_t i = tail; i < count; ++i) text += "[" + printable(world.text_of(request.tokens[i])) + "]";
  return text;
}

std::string model_text(const World& world) {
  if (world.model.layers == 0) {
    return world.model.name.empty() ? std::string() : line(tr_format("model {}", printable(world.model.name)));
  }
  return line(tr_format("model {}: {} layers, {} query heads, {} KV heads of {}", printable(world.model.name),
                        world.model.layers, world.model.query_heads, world.model.kv_heads, world.model.head_dim));
}

std::string memory_text(const World& world) {
  std::string text;
  if (!world.blocks.empty()) {
    const std::size_t used = world.blocks.size() - std::min(world.blocks.size(), world.free_blocks.size());
    text += line(tr_format("pool: {} of {} blocks of {} tokens in use", grouped(used), grouped(world.blocks.size()),
                           world.block_size));
    text += line("  " + pool_line(world, kMostItems));
  }
  if (world.arena_slots > 0) text += line(tr_format("contiguous pool: {} slots", grouped(world.arena_slots)));
  return text;
}

std::string rate(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::string(tr("nothing was looked up"));
  return tr_format("{} of {} tokens found ({:.1f} %)", grouped(part), grouped(whole),
                   100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// Each line two spaces to the right.
std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', start), lines.size() - 1);
    text += "  " + lines.substr(start, end + 1 - start);
    start = end + 1;
  }
  return text;
}

/// What the prefix cache holds, and what it was good for.
std::string prefix_text(const World& world) {
  std::string text;
  const auto cached = static_cast<std::size_t>(
      std::count_if(world.blocks.begin(), world.blocks.end(), [](const BlockState& b) { return b.hash.has_value(); }));
  if (cached > 0) {
    text += line(tr_format("prefix cache: {} blocks can be found by their hash", grouped(cached)));
    if (cached <= kMostItems) text += line("  " + show_cached(world));
    text += indented(show_prefix_tree(world, kMostNodes));
  }
  if (!world.radix.empty()) {
    const RadixSizes sizes = radix_sizes(world);
    text += line(tr_format("radix tree: {} tokens can be evicted, {} are locked", grouped(sizes.evictable),
                           grouped(sizes.locked)));
    if (sizes.evictable + sizes.locked <= kMostItems * 4) text += line("  " + show_radix(world));
    text += indented(show_prefix_tree(world, kMostNodes));
  }
  if (world.prefix.queried_tokens > 0) {
    text += line(tr_format(
        "hits: {}; on resuming: {}; {} blocks evicted", rate(world.prefix.hit_tokens, world.prefix.queried_tokens),
        rate(world.resumed_prefix.hit_tokens, world.resumed_prefix.queried_tokens), grouped(world.evicted_blocks)));
  }
  if (world.copies.blocks > 0) {
    text += line(tr_format("copy-on-write: {} blocks, {} tokens copied", grouped(world.copies.blocks),
                           grouped(world.copies.tokens)));
  }
  if (world.swapped_bytes > 0) text += line(tr_format("swapped: {} bytes, both ways", grouped(world.swapped_bytes)));
  return text;
}

std::string speculation_text(const World& world) {
  const SpeculationCounts& counts = world.speculation;
  std::string text;
  if (!world.proposer.empty()) {
    text += line(tr_format("drafts: {}, at most {} a round", printable(world.proposer), world.most_drafts));
  }
  if (counts.rounds == 0) return text;
  return text + line(tr_format("  {} rounds: {} of {} drafts accepted, {:.2f} tokens a round", grouped(counts.rounds),
                               grouped(counts.accepted), grouped(counts.drafted), counts.tokens_a_round()));
}

std::string requests_text(const World& world) {
  std::string text = line(tr_format("requests: {}", grouped(world.requests.size())));
  std::size_t shown = 0;
  for (const bool ended : {false, true}) {  // those that still matter first
    for (const auto& request : world.requests) {
      if (request->ended() != ended) continue;
      if (shown++ < kMostRequests) text += line("  " + request_line(world, *request));
    }
  }
  if (shown > kMostRequests) text += line("  " + more(shown - kMostRequests));
  return text;
}

std::string invariants_text(const World& world) {
  const std::vector<std::string> wrong = violations(world);
  std::string text = line(tr_format("invariants: {} of {} hold", invariants_that_hold(world), kInvariantCount));
  for (const std::string& sentence : wrong) text += line("  ! " + sentence);
  return text;
}

}  // namespace

std::string show(RequestStatus status) {
  switch (status) {
    case RequestStatus::waiting:
      return std::string(tr("waiting"));
    case RequestStatus::running:
      return std::string(tr("running"));
    case RequestStatus::preempted:
      return std::string(tr("preempted"));
    case RequestStatus::finished:
      return std::string(tr("finished"));
    case RequestStatus::aborted:
      return std::string(tr("aborted"));
  }
  return std::to_string(static_cast<int>(status));
}

std::string show_pool(const World& world) { return pool_line(world, SIZE_MAX); }

std::string show_table(const World& world, RequestId request) { return table_line(world.request(request), SIZE_MAX); }

std::string show_slot(const World& world, RequestId id, std::uint32_t position) {
  const RequestState& request = world.request(id);
  if (request.region && position < request.region->num_slots) {
    const std::uint64_t first = request.region->first_slot;
    return tr_format("position {}: {} + {} = {}", position, first, position, first + position);
  }
  const std::uint32_t size = world.block_size;
  if (request.region || size == 0 || position / size >= request.table.size()) {
    return tr_format("position {} of request {} has no slot", position, letter(id));
  }
  const std::uint64_t logical = position / size;
  const std::uint64_t physical = value(request.table[logical]);
  return tr_format("position {}: {} / {} = {} -> table[{}] = {} -> {} * {} + {} % {} = {}", position, position, size,
                   logical, logical, physical, physical, size, position, size, physical * size + position % size);
}

std::string text_twin(const World& world) {
  std::string text;
  if (!world.lesson_title.empty()) text += line(tr_format("lesson: {}", printable(world.lesson_title)));
  text += line(tr_format("step {}, event {}", grouped(world.step), grouped(world.events)));
  text += model_text(world) + memory_text(world) + prefix_text(world) + speculation_text(world) + requests_text(world);
  text += line(tr_format("work: {}", work_text(world.work)));
  text += invariants_text(world);
  if (world.said) text += line("> " + printable(world.said->text));
  if (world.asked) text += line("? " + printable(world.asked->question));
  return text;
}

std::string text_twin(const World& world, RequestId id) {
  const RequestState& request = world.request(id);
  std::string text = line(request_line(world, request));
  text += line(tr_format("tokens: {}", tokens_text(world, request)));
  if (request.computed_tokens > 0) text += line(show_slot(world, id, request.computed_tokens - 1));
  text += line(tr_format("work: {}", work_text(request.work)));
  return text;
}

}  // namespace kvarium
