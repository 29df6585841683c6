#include "visualizer/panels/object_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/kv_bytes.h"
#include "core/cost/units.h"
#include "core/error.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "visualizer/layout/text_fit.h"

namespace kvarium::ui {
namespace {

std::string words(std::string_view english) { return std::string(tr(english)); }

/// Bytes of K and V a token, as 32-bit floats, which is what the reference keeps; empty when the shape is unknown.
std::string bytes_of_tokens(const World& world, std::uint64_t tokens) {
  try {
    return binary_size(kv_bytes(world.model, tokens, ElementType::fp32));
  } catch (const InputError&) {
    return {};
  }
}

void add_bytes(ObjectText& text, const World& world, std::uint64_t tokens) {
  const std::string size = bytes_of_tokens(world, tokens);
  if (!size.empty()) text.rows.push_back({words("K and V (fp32)"), size, {}});
}

std::string holders_of(const World& world, std::uint32_t block) {
  std::string holders;
  for (const auto& request : world.requests) {
    for (std::size_t i = 0; i < request->table.size(); ++i) {
      if (index(request->table[i]) != block) continue;
      holders += (holders.empty() ? "" : ", ") + fmt::format("{}[{}]", letter(request->id), i);
    }
  }
  return holders;
}

void add_place_in_queue(ObjectText& text, const World& world, std::uint32_t block) {
  const std::vector<BlockId> order = world.free_blocks.order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (index(order[i]) != block) continue;
    text.rows.push_back({words("place in the free queue"), tr_format("{} of {}", i + 1, order.size()), {}});
  }
}

/// The node of the radix tree that holds the block.
std::optional<NodeId> node_of(const World& world, BlockId block) {
  for (std::uint32_t id = 1; id < world.radix.size(); ++id) {
    const RadixNodeState& node = *world.radix[id];
    if (node.exists && std::find(node.blocks.begin(), node.blocks.end(), block) != node.blocks.end()) return NodeId{id};
  }
  return std::nullopt;
}

/// What the prefix cache has to do with the block.
void add_cache(ObjectText& text, const World& world, std::uint32_t block) {
  const BlockState& state = world.blocks[block];
  if (state.hash)
    text.rows.push_back({words("found by hash"), fmt::format("{:016x}{:016x}", state.hash->high, state.hash->low), {}});
  if (state.in_tree) {
    if (const auto node = node_of(world, BlockId{block}))
      text.rows.push_back({words("in the radix tree"), tr_format("node {}", value(*node)), Target::node(*node)});
  }
  if ((state.hash || state.in_tree) && index(state.writer) < world.requests.size()) {
    const std::uint64_t first = std::uint64_t{state.writer_logical} * world.block_size;
    text.rows.push_back(
        {words("holds K and V of"),
         tr_format("positions {} to {} of {}", first, first + world.block_size - 1, letter(state.writer)),
         Target::of_request(state.writer)});
  }
}

void add_node(ObjectText& text, const World& world, NodeId id) {
  constexpr std::size_t kMostTokens = 24, kMostBlocks = 32;
  const RadixNodeState& node = *world.radix[index(id)];
  std::string tokens, blocks;
  for (std::size_t i = 0; i < std::min(node.tokens.size(), kMostTokens); ++i)
    tokens += "[" + layout::visible_token(world.text_of(node.tokens[i])) + "]";
  for (std::size_t i = 0; i < std::min(node.blocks.size(), kMostBlocks); ++i)
    blocks += (i == 0 ? "" : ", ") + std::to_string(value(node.blocks[i]));
  if (node.tokens.size() > kMostTokens) tokens += " …";
  if (node.blocks.size() > kMostBlocks) blocks += " …";
  text.rows.push_back({words("tokens"), tokens, {}});
  text.rows.push_back({words("length"), tr_format("{} tokens", node.tokens.size()), {}});
  text.rows.push_back({words("blocks"), blocks, {}});
  const bool below_root = node.parent == NodeId{0};
  text.rows.push_back({words("continues"),
                       below_root ? words("the root: it starts a prompt") : tr_format("node {}", value(node.parent)),
                       below_root ? Target{} : Target::node(node.parent)});
  if (!node.scope.empty()) text.rows.push_back({words("only for"), node.scope, {}});
  text.rows.push_back({words("locks"),
                       node.locks == 0 ? words("none: it may be evicted once nothing hangs below it")
                                       : tr_format("{}: it cannot be evicted", node.locks),
                       {}});
  text.rows.push_back({words("last used in step"), std::to_string(node.used_step), {}});
  add_bytes(text, world, node.tokens.size());
}

void add_block(ObjectText& text, const World& world, std::uint32_t block) {
  const BlockState& state = world.blocks[block];
  const std::uint64_t first = std::uint64_t{block} * world.block_size;
  text.rows.push_back({words("physical block"), std::to_string(block), Target::block(block)});
  text.rows.push_back({words("slots"), tr_format("{} to {}", first, first + world.block_size - 1), {}});
  if (state.ref_count == 0) {
    text.rows.push_back({words("state"), state.hash ? words("free, and still cached") : words("free"), {}});
    add_place_in_queue(text, world, block);
    return add_cache(text, world, block);
  }
  const std::string holders = holders_of(world, block);
  text.rows.push_back({words("held by"), holders.empty() ? words("the radix tree alone") : holders, {}});
  text.rows.push_back({words("ref count"), std::to_string(state.ref_count), {}});
  text.rows.push_back({words("slots written"), tr_format("{} of {}", state.written, world.block_size), {}});
  text.rows.push_back({words("taken in step"), std::to_string(state.allocated_step), {}});
  if (state.written_step > 0)
    text.rows.push_back({words("last written in step"), std::to_string(state.written_step), {}});
  add_cache(text, world, block);
}

void add_request(ObjectText& text, const World& world, const RequestState& request) {
  text.rows.push_back({words("status"), words(show(request.status)), {}});
  text.rows.push_back({words("prompt"), tr_format("{} tokens", request.prompt_tokens), {}});
  text.rows.push_back(
      {words("written"),
       tr_format("{} of {} tokens", request.tokens.size() - request.prompt_tokens, request.max_new_tokens),
       {}});
  text.rows.push_back({words("in the cache"), tr_format("{} tokens", request.computed_tokens), {}});
  if (world.block_size > 0) text.rows.push_back({words("block table"), show_table(world, request.id), {}});
  if (request.region) {
    text.rows.push_back({words("region"),
                         tr_format("slots {} to {}", request.region->first_slot,
                                   request.region->first_slot + request.region->num_slots - 1),
                         {}});
  }
  if (request.parent) {
    text.rows.push_back(
        {words("forked from"), tr_format("request {}", letter(*request.parent)), Target::of_request(*request.parent)});
  }
  if (request.hit_tokens > 0)
    text.rows.push_back({words("found in the prefix cache"), tr_format("{} tokens", request.hit_tokens), {}});
  if (request.preemptions > 0)
    text.rows.push_back({words("preempted"), tr_format("{} times", request.preemptions), {}});
  text.rows.push_back({words("K/V projections"), with_commas(request.work.kv_projections), {}});
  text.rows.push_back({words("score products"), with_commas(request.work.score_products), {}});
  add_bytes(text, world, request.computed_tokens);
}

void add_token(ObjectText& text, const World& world, const RequestState& request, std::uint32_t position) {
  if (position < request.tokens.size()) {
    const std::string name = layout::visible_token(world.text_of(request.tokens[position]));
    text.rows.push_back({words("token"), fmt::format("\"{}\" (#{})", name, value(request.tokens[position])), {}});
    text.rows.push_back(
        {words("came from"), position < request.prompt_tokens ? words("the prompt") : words("the model"), {}});
  }
  text.rows.push_back({words("request"), letter(request.id), Target::of_request(request.id)});
  text.rows.push_back(
      {words("K and V"), position < request.computed_tokens ? words("in the cache") : words("not in the cache"), {}});
  text.arithmetic = show_slot(world, request.id, position);
  add_bytes(text, world, 1);
}

}  // namespace

ObjectText object_text(const World& world, const Target& target) {
  ObjectText text;
  const Resolved at = resolve(world, target);
  const bool has_offset = at.block && at.offset;
  if (at.position && at.request && (target.kind == Target::Kind::token || has_offset)) {
    text.title = tr_format("position {} of request {}", *at.position, letter(*at.request));
    add_token(text, world, world.request(*at.request), *at.position);
    if (has_offset) {
      const std::uint64_t slot = std::uint64_t{*at.block} * world.block_size + *at.offset;
      text.rows.push_back({words("slot"), std::to_string(slot), Target::slot(slot)});
    }
    if (at.block) add_block(text, world, *at.block);
  } else if (at.block) {
    text.title =
        has_offset ? tr_format("slot {} of block {}", *at.offset, *at.block) : tr_format("block {}", *at.block);
    if (target.kind == Target::Kind::table)
      text.title = tr_format("entry {} of {}'s block table", target.number, letter(*at.request));
    add_block(text, world, *at.block);
  } else if (at.request && target.kind == Target::Kind::request) {
    text.title = tr_format("request {}", letter(*at.request));
    add_request(text, world, world.request(*at.request));
  } else if (at.node) {
    text.title = tr_format("node {} of the radix tree", value(*at.node));
    add_node(text, world, *at.node);
  } else {
    text.title = tr_format("{} does not exist at this moment", name_of(target));
  }
  return text;
}

}  // namespace kvarium::ui
