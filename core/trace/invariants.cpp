#include "core/trace/invariants.h"

#include <algorithm>
#include <utility>

#include "core/trace/draft_invariants.h"
#include "core/trace/prefix_invariants.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::string name(const RequestState& request) { return letter(request.id); }

// --- blocks

void every_block_is_free_or_held(const World& world, Sentences& wrong) {
  const auto held = static_cast<std::size_t>(
      std::count_if(world.blocks.begin(), world.blocks.end(), [](const BlockState& b) { return b.ref_count > 0; }));
  if (world.free_blocks.size() + held != world.blocks.size()) {
    report(wrong, "{} free + {} held blocks are not the pool's {}.", world.free_blocks.size(), held,
           world.blocks.size());
  }
}

void no_held_block_is_free(const World& world, Sentences& wrong) {
  for (std::uint32_t id = 0; id < world.blocks.size(); ++id) {
    if (world.blocks[id].ref_count > 0 && world.free_blocks.contains(BlockId{id})) {
      report(wrong, "Block {} has ref count {}, yet it is in the free queue.", id, world.blocks[id].ref_count);
    }
  }
}

void free_queue_names_blocks_of_the_pool(const World& world, Sentences& wrong) {
  for (const BlockId block : world.free_blocks.order()) {
    if (index(block) >= world.blocks.size()) {
      report(wrong, "The free queue names block {} of a pool of {}.", value(block), world.blocks.size());
    }
  }
}

void tables_name_blocks_of_the_pool(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    for (const BlockId block : request->table) {
      if (index(block) < world.blocks.size()) continue;
      report(wrong, "The table of request {} names block {} of a pool of {}.", name(*request), value(block),
             world.blocks.size());
    }
  }
}

void tables_name_a_block_once(const World& world, Sentences& wrong) {
  std::vector<std::size_t> last_named_by(world.blocks.size(), SIZE_MAX);
  for (std::size_t r = 0; r < world.requests.size(); ++r) {
    for (const BlockId block : world.requests[r]->table) {
      if (index(block) >= world.blocks.size()) continue;
      if (last_named_by[index(block)] == r) {
        report(wrong, "The table of request {} names block {} twice.", name(*world.requests[r]), value(block));
      }
      last_named_by[index(block)] = r;
    }
  }
}

void ref_counts_are_table_entries(const World& world, Sentences& wrong) {
  std::vector<std::uint64_t> entries(world.blocks.size(), 0);
  for (const auto& request : world.requests) {
    for (const BlockId block : request->table) {
      if (index(block) < entries.size()) ++entries[index(block)];
    }
  }
  for (std::size_t id = 0; id < entries.size(); ++id) {
    const BlockState& block = world.blocks[id];
    if (entries[id] + (block.in_tree ? 1 : 0) == block.ref_count) continue;
    report(wrong, "Block {} has ref count {}, but {} table entries name it{}.", id, block.ref_count, entries[id],
           block.in_tree ? tr(" and the radix tree holds it") : "");
  }
}

void blocks_are_written_within_their_size(const World& world, Sentences& wrong) {
  for (std::size_t id = 0; id < world.blocks.size(); ++id) {
    if (world.blocks[id].written <= world.block_size) continue;
    report(wrong, "{} slots of block {} are written, and a block has {}.", world.blocks[id].written, id,
           world.block_size);
  }
}

void blocks_know_no_later_step(const World& world, Sentences& wrong) {
  for (std::size_t id = 0; id < world.blocks.size(); ++id) {
    const std::uint64_t last = std::max(world.blocks[id].allocated_step, world.blocks[id].written_step);
    if (last > world.step) report(wrong, "Block {} was touched in step {}, and this is step {}.", id, last, world.step);
  }
}

void cached_tokens_were_written(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    for (std::size_t i = 0; i < request->table.size(); ++i) {
      const std::size_t block = index(request->table[i]);
      const std::uint32_t filled = filled_slots(world, *request, i);
      if (block >= world.blocks.size() || filled <= world.blocks[block].written) continue;
      report(wrong, "Request {} counts on {} tokens in block {}, and {} were written.", name(*request), filled, block,
             world.blocks[block].written);
    }
  }
}

// --- requests

void tokens_are_prompt_and_answer(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    const std::uint64_t most = std::uint64_t{request->prompt_tokens} + request->max_new_tokens;
    if (request->tokens.size() >= request->prompt_tokens && request->tokens.size() <= most) continue;
    report(wrong, "Request {} has {} tokens, with a prompt of {} and at most {} new ones.", name(*request),
           request->tokens.size(), request->prompt_tokens, request->max_new_tokens);
  }
}

void computed_tokens_exist(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (request->computed_tokens <= known_positions(*request)) continue;
    report(wrong, "Request {} has K and V of {} tokens, and only {} tokens.", name(*request), request->computed_tokens,
           request->tokens.size());
  }
}

void computed_tokens_have_slots(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    const std::uint64_t slots = held_slots(world, *request);
    if (request->computed_tokens <= slots) continue;
    report(wrong, "Request {} has K and V of {} tokens in {} slots.", name(*request), request->computed_tokens, slots);
  }
}

void steps_stay_within_the_tokens(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    const std::uint64_t end = request->new_count == 0 ? 0 : std::uint64_t{request->new_first} + request->new_count;
    const std::uint64_t reached = std::max<std::uint64_t>(end, request->read_count);
    const std::uint64_t drafts_end = request->round ? request->round->end() : 0;
    if (reached <= std::max<std::uint64_t>(request->tokens.size(), drafts_end)) continue;
    report(wrong, "This step reached position {} of request {}, which has {} tokens.", reached - 1, name(*request),
           request->tokens.size());
  }
}

void only_running_requests_hold_memory(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (request->status == RequestStatus::running || (request->table.empty() && !request->region)) continue;
    report(wrong, "Request {} does not run, yet it holds {} slots.", name(*request), held_slots(world, *request));
  }
}

void steps_are_in_order(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    const bool running = request->status == RequestStatus::running;
    const bool admitted_late = running && request->admitted_step < request->arrived_step;
    const bool ended_early = request->ended() && request->ended_step < request->arrived_step;
    const std::uint64_t last = std::max({request->arrived_step, request->admitted_step, request->ended_step});
    if (!admitted_late && !ended_early && last <= world.step) continue;
    report(wrong, "Request {} arrived in step {}, was admitted in step {} and ended in step {}; this is step {}.",
           name(*request), request->arrived_step, request->admitted_step, request->ended_step, world.step);
  }
}

// A request that was never admitted, and one that came later and was.
void nobody_is_overtaken(const World& world, Sentences& wrong) {
  if (!world.serves_in_order) return;
  const RequestState* newest_admitted = nullptr;
  for (const auto& request : world.requests) {
    if (request->admitted_ns && !request->parent) newest_admitted = &*request;
  }
  for (const auto& request : world.requests) {
    if (newest_admitted == nullptr || request->id >= newest_admitted->id) return;
    if (request->status != RequestStatus::waiting) continue;
    report(wrong, "Request {} waits, though request {}, which came later, was admitted.", name(*request),
           name(*newest_admitted));
  }
}

// --- the contiguous pool

void regions_lie_inside(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (!request->region) continue;
    const auto [first, slots] = *request->region;
    if (first <= world.arena_slots && slots <= world.arena_slots - first) continue;
    report(wrong, "The region of request {}, {} slots from {}, leaves the pool of {}.", name(*request), slots, first,
           world.arena_slots);
  }
}

void regions_do_not_overlap(const World& world, Sentences& wrong) {
  std::vector<std::pair<Region, const RequestState*>> regions;
  for (const auto& request : world.requests) {
    if (request->region && request->region->num_slots > 0) regions.emplace_back(*request->region, &*request);
  }
  std::sort(regions.begin(), regions.end(),
            [](const auto& a, const auto& b) { return a.first.first_slot < b.first.first_slot; });
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const Region& before = regions[i - 1].first;
    if (regions[i].first.first_slot - before.first_slot >= before.num_slots) continue;
    report(wrong, "The regions of requests {} and {} overlap.", name(*regions[i - 1].second), name(*regions[i].second));
  }
}

// --- work

std::string counts(const Work& work) {
  return tr_format("{} K/V projections, {} score products, {} bytes read, {} FLOP", work.kv_projections,
                   work.score_products, work.bytes_read, work.flops);
}

void work_adds_up(const World& world, Sentences& wrong) {
  Work sum;
  for (const auto& request : world.requests) sum += request->work;
  if (sum == world.work) return;
  report(wrong, "The work of all requests ({}) is not the sum of each one's ({}).", counts(world.work), counts(sum));
}

struct Invariant {
  std::string_view name;
  void (*check)(const World&, Sentences&);
};

constexpr std::array<Invariant, kInvariantCount> kInvariants = {{
    {"Free and held blocks together are the pool", every_block_is_free_or_held},
    {"No held block is in the free queue", no_held_block_is_free},
    {"The free queue names blocks of the pool", free_queue_names_blocks_of_the_pool},
    {"Tables name blocks of the pool", tables_name_blocks_of_the_pool},
    {"A table names a block once", tables_name_a_block_once},
    {"A block's ref count is the number of table entries that name it, and one for the radix tree",
     ref_counts_are_table_entries},
    {"No block is written beyond its size", blocks_are_written_within_their_size},
    {"No block was touched in a later step", blocks_know_no_later_step},
    {"Tokens that count as cached were written", cached_tokens_were_written},
    {"Blocks that can be found by their hash are full", cached_blocks_are_full},
    {"Tokens are the prompt and at most the answer that was asked for", tokens_are_prompt_and_answer},
    {"Computed tokens exist", computed_tokens_exist},
    {"Computed tokens have slots", computed_tokens_have_slots},
    {"A step computes and reads only tokens that the request has or guesses", steps_stay_within_the_tokens},
    {"Only running requests hold memory", only_running_requests_hold_memory},
    {"Requests arrive, are admitted and end in this order", steps_are_in_order},
    {"What a request reads is K and V of its own text", requests_read_their_own_text},
    {"Every node of the radix tree hangs below another, up to the root", radix_nodes_have_parents},
    {"Siblings in the radix tree begin with different pages", radix_siblings_differ},
    {"A node of the radix tree has at least the locks of the nodes below it", radix_locks_reach_the_root},
    {"The blocks of the radix tree are full and in one node each", radix_blocks_are_full_and_in_one_node},
    {"K and V of a rejected draft cannot be found by others", rejected_drafts_are_not_cached},
    {"K and V of an accepted path of drafts are in the slots of its positions", kept_paths_lie_in_front},
    {"The draft model keeps K and V of the request's own tokens", draft_caches_hold_the_requests_tokens},
    {"Nobody is overtaken while requests are served in their order", nobody_is_overtaken},
    {"Regions lie inside the contiguous pool", regions_lie_inside},
    {"Regions do not overlap", regions_do_not_overlap},
    {"The work of all requests is the sum of each one's", work_adds_up},
}};

}  // namespace

const std::array<std::string_view, kInvariantCount>& invariant_names() {
  static const auto kNames = [] {
    std::array<std::string_view, kInvariantCount> all;
    std::transform(kInvariants.begin(), kInvariants.end(), all.begin(), [](const Invariant& i) { return i.name; });
    return all;
  }();
  return kNames;
}

std::vector<std::string> violations(const World& world) {
  Sentences wrong;
  for (const Invariant& invariant : kInvariants) invariant.check(world, wrong);
  return wrong;
}

std::size_t invariants_that_hold(const World& world) {
  return static_cast<std::size_t>(std::count_if(kInvariants.begin(), kInvariants.end(), [&](const Invariant& i) {
    Sentences wrong;
    i.check(world, wrong);
    return wrong.empty();
  }));
}

}  // namespace kvarium
