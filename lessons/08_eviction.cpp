// Lesson 08: who goes when the prefix cache is full. Nine prompts through a cache of four blocks, five policies, and
// why a prompt counts as used from its tail to its head. The chapter is docs/lessons/08_eviction.md.

#include <algorithm>
#include <functional>
#include <map>

#include "core/cost/units.h"
#include "core/eviction/policies.h"
#include "core/replay/made_up_trace.h"
#include "core/replay/recorded_replay.h"
#include "core/words/words.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr std::uint32_t kRoom = 4;  ///< blocks

/// A system prompt of two blocks with different ends, a text that is asked about three times, and one that comes once.
RequestTrace nine_prompts() {
  RequestTrace trace;
  trace.block_size = 512;
  trace.distinct_blocks = 9;
  trace.made_up = true;
  for (const std::vector<std::uint32_t>& prompt : std::vector<std::vector<std::uint32_t>>{
           {0, 1, 2}, {0, 1, 3}, {4, 5}, {0, 1, 2}, {4, 5}, {4, 5}, {0, 1, 3}, {6, 7, 8}, {0, 1, 2}}) {
    TracedRequest request;
    request.arrival_ms = 1000.0 * static_cast<double>(trace.requests.size());
    request.input_tokens = static_cast<std::uint32_t>(prompt.size()) * trace.block_size;
    for (const std::uint32_t block : prompt) request.blocks.push_back(BlockId{block});
    trace.block_references += prompt.size();
    trace.requests.push_back(std::move(request));
  }
  return trace;
}

std::uint64_t hits(const RequestTrace& trace, const NamedPolicy& policy, std::uint64_t room) {
  return replay(trace, *policy.make(), room, {}, CancelToken()).value().hit_blocks;
}

Scenario small_cache() {
  return {"08",
          "small-cache",
          "Nine prompts",
          "Nine prompts through a cache of four blocks.",
          {.block_size = 1, .num_blocks = kRoom},
          {},
          [](const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
            record_replay(nine_prompts(), *find_eviction_policy(params.eviction).make(), params.num_blocks, sink, {},
                          cancel);
          }};
}

std::string numbers(const std::vector<std::uint64_t>& list, const char* between) {
  std::string text;
  for (const std::uint64_t number : list) text += (text.empty() ? "" : between) + std::to_string(number);
  return text;
}

std::string prompts_figure(const RequestTrace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    std::vector<std::uint64_t> blocks;
    for (const BlockId block : trace.requests[i].blocks) blocks.push_back(value(block));
    text += "  " + letter(RequestId{static_cast<std::uint32_t>(i)}) + "   " + numbers(blocks, "  ") + "\n";
  }
  return text;
}

/// What the cache holds, by the numbers of the trace: the free queue of the pool, whose head goes first.
std::vector<std::uint64_t> cached(const World& world) {
  std::vector<std::uint64_t> contents;
  for (const BlockId block : world.free_blocks.order()) {
    if (world.blocks[index(block)].hash) contents.push_back(world.blocks[index(block)].hash->low);
  }
  return contents;
}

std::string cache_figure(const World& world) {
  return tr_format("cache, the next one to go first:   {}\n", numbers(cached(world), "  "));
}

/// What is in `before` and not in `after`, in ascending order.
std::vector<std::uint64_t> gone(const World& before, const World& after) {
  std::vector<std::uint64_t> old = cached(before), kept = cached(after), missing;
  std::sort(old.begin(), old.end());
  std::sort(kept.begin(), kept.end());
  std::set_difference(old.begin(), old.end(), kept.begin(), kept.end(), std::back_inserter(missing));
  return missing;
}

struct FlatResult {
  std::uint64_t hits = 0;
  std::uint64_t most_orphans = 0;  ///< cached blocks that nobody can find, at the worst moment
};

/// LRU as one might write it at first: a prompt counts as used in the order in which it is read, head first.
FlatResult head_first_lru(const RequestTrace& trace, std::uint64_t room) {
  const auto policy = find_eviction_policy("lru").make();
  std::map<BlockId, BlockId> predecessor;
  FlatResult result;
  for (const TracedRequest& request : trace.requests) {
    bool all_before = true;
    for (std::uint32_t i = 0; i < request.blocks.size(); ++i) {
      all_before = all_before && policy->contains(request.blocks[i]);
      result.hits += all_before ? 1 : 0;
      if (i > 0) predecessor[request.blocks[i]] = request.blocks[i - 1];
    }
    for (std::uint32_t i = 0; i < request.blocks.size(); ++i) {
      policy->contains(request.blocks[i]) ? policy->touch(request.blocks[i]) : policy->insert(request.blocks[i], i);
    }
    while (policy->size() > room) policy->erase(policy->victim().value());
    std::uint64_t orphans = 0;
    for (const BlockId block : policy->eviction_order()) {
      BlockId at = block;
      while (policy->contains(at) && predecessor.count(at) > 0) at = predecessor[at];
      orphans += policy->contains(at) ? 0 : 1;
    }
    result.most_orphans = std::max(result.most_orphans, orphans);
  }
  return result;
}

void the_question(LessonKit& kit) {
  const RequestTrace trace = nine_prompts();
  kit.say(
      std::string(tr("A prefix cache keeps K and V of prompts that have ended, because the next prompt may begin the "
                     "same way. After some minutes the memory is full, and each new block must take the place of an "
                     "old one. Giving an old one up is called eviction, and the rule that chooses it is the eviction "
                     "policy. No answer can become wrong by it: what is gone is computed again. And a block that a "
                     "request still holds is never chosen.")));
  kit.say(tr_format(
      "Here are {} prompts, one a line, in the order in which they come. A number stands for a block of {} tokens; "
      "where two prompts begin with the same numbers, they begin with the same text. Five of them begin with 0 1, "
      "which "
      "may be a system prompt. 4 5 is a text that three prompts ask about. 6 7 8 comes once.",
      trace.requests.size(), trace.block_size));
  kit.show(prompts_figure(trace));
  const std::uint64_t most = hits(trace, find_eviction_policy("lru"), UINT64_MAX);
  kit.ask({.text = tr_format("The prompts name {} blocks. How many of them would a cache without end have found?",
                             trace.block_references),
           .choices = {"9", "15", "24"},
           .expected = "15",
           .answer = std::to_string(most),
           .because = tr_format("{} blocks are different, and each must be computed once: {} - {} = {}.",
                                trace.distinct_blocks, trace.block_references, trace.distinct_blocks, most)});
}

void the_first_victims(LessonKit& kit, ScenarioRun& run) {
  run.to_step(2, kit);
  kit.say(tr_format(
      "Now the cache has room for {} blocks. The policy is LRU, which vLLM and SGLang use unless they are told "
      "otherwise: who has rested longest goes first. A and B have been served. B found 0 and 1, and 2 and 3 are their "
      "ends.",
      kRoom));
  kit.show(cache_figure(kit.world()));
  const World next = run.after_step(3);
  kit.ask({.text = std::string(tr("C brings 4 and 5. Which two blocks go?")),
           .choices = {"0 and 1", "0 and 2", "1 and 3", "2 and 3"},
           .expected = "2 and 3",
           .answer = numbers(gone(kit.world(), next), " and "),
           .because = std::string(tr("They stand first in the line above."))});
  run.to_step(3, kit);
  kit.show(cache_figure(kit.world()));
}

void tail_first(LessonKit& kit) {
  const RequestTrace trace = nine_prompts();
  const FlatResult flat = head_first_lru(trace, kRoom);
  const std::uint64_t lru = hits(trace, find_eviction_policy("lru"), kRoom);
  kit.say(
      std::string(tr("Is that not odd? A prompt is read from its head to its tail, so 0 was touched before 3. But "
                     "the engine gives the blocks of a prompt back from its tail to its head, so that the head counts "
                     "as used last. The reason: a block can be used only together with all before it. Without 0 "
                     "nobody can use 1, 2 or 3; without 3 everybody can still use 0 and 1.")));
  kit.expect("hits of LRU, tail first", 10, lru);
  kit.ask(
      {.text = tr_format("With the tail first, LRU finds {} of the {} blocks. How many when the head counts as used "
                         "first, as one might write it without thinking?",
                         lru, trace.block_references),
       .choices = {"4", "10", "15"},
       .expected = "4",
       .answer = std::to_string(flat.hits),
       .because = std::string(tr("C throws out 0 and leaves 1 and 3, which nobody can use any more."))});
  kit.expect("orphans of head-first LRU", 2, flat.most_orphans);
  kit.say(tr_format(
      "At the worst moment {} of the {} blocks are orphans: they take up room, and nobody can find them. In a tree of "
      "prompts that is a trunk cut off below its branches, which is why SGLang evicts leaves only (lesson 07).",
      flat.most_orphans, kRoom));
}

void five_policies(LessonKit& kit) {
  const RequestTrace trace = nine_prompts();
  const std::uint64_t lru = hits(trace, find_eviction_policy("lru"), kRoom);
  const std::uint64_t fifo = hits(trace, find_eviction_policy("fifo"), kRoom);
  kit.ask({.text = tr_format("FIFO is simpler: who was written first goes first, however often it was used since. LRU "
                             "found {}. Does FIFO find more, as many, or fewer?",
                             lru),
           .choices = {"more", "as many", "fewer"},
           .expected = "fewer",
           .answer = fifo > lru    ? "more"
                     : fifo == lru ? "as many"
                                   : "fewer",
           .because = std::string(tr("The system prompt was written first, so it goes first, although all use it."))});
  const std::map<std::string_view, std::uint64_t> expected{
      {"lru", 10}, {"lfu", 11}, {"length-aware", 12}, {"fifo", 8}, {"prefix-depth", 11}};
  std::string table = tr_format("{:<14}{:>6}   {}\n", "policy", "hits", "who goes first");
  for (const NamedPolicy& policy : eviction_policies()) {
    const std::uint64_t found = hits(trace, policy, kRoom);
    kit.expect(policy.name, expected.at(policy.name), found);
    table += fmt::format("{:<14}{:>6}   {}\n", policy.name, found, tr(policy.meaning));
  }
  kit.say(
      tr_format("Here are five policies on the nine prompts, with room for {} blocks. LFU counts uses. "
                "Length-aware (Mooncake, Qin et al. 2024) counts too, and of equals lets the deepest block go.",
                kRoom));
  kit.show(table);
}

struct Rate {
  std::string_view policy;
  double percent = 0;
};

Rate rate(const RequestTrace& trace, const NamedPolicy& policy, std::uint64_t room) {
  return {policy.name,
          100.0 * static_cast<double>(hits(trace, policy, room)) / static_cast<double>(trace.block_references)};
}

/// All policies with a room of several sizes, a line a size.
std::string sweep_figure(const RequestTrace& trace, const std::vector<std::uint64_t>& rooms) {
  std::string text = tr_format("{:>8}", "blocks");
  for (const NamedPolicy& policy : eviction_policies()) text += fmt::format("{:>14}", policy.name);
  for (const std::uint64_t room : rooms) {
    text += "\n" + (room == UINT64_MAX ? tr_format("{:>8}", "no end") : fmt::format("{:>8}", room));
    for (const NamedPolicy& policy : eviction_policies()) {
      text += fmt::format("{:>12.1f} %", rate(trace, policy, room).percent);
    }
  }
  return text + "\n";
}

void more_traffic(LessonKit& kit) {
  const RequestTrace trace = made_up_trace(300, 7);
  constexpr std::uint64_t kSmall = 200;
  std::vector<Rate> rates;
  for (const NamedPolicy& policy : eviction_policies()) rates.push_back(rate(trace, policy, kSmall));
  const auto less = [](const Rate& a, const Rate& b) { return a.percent < b.percent; };
  const auto [worst, best] = std::minmax_element(rates.begin(), rates.end(), less);
  kit.say(
      tr_format("Nine prompts prove nothing. Here are {}, with {} blocks, {} of them different: conversations "
                "with three assistants, and long texts that come once. A program invented them; no server ever saw "
                "them.",
                trace.requests.size(), with_commas(trace.block_references), with_commas(trace.distinct_blocks)));
  const NamedPolicy& lru = find_eviction_policy("lru");
  const bool same = std::all_of(eviction_policies().begin(), eviction_policies().end(), [&](const NamedPolicy& policy) {
    return hits(trace, policy, UINT64_MAX) == hits(trace, lru, UINT64_MAX);
  });
  kit.ask({.text = std::string(tr("Which policy finds most when the cache has no end?")),
           .choices = {"LRU", "LFU", "all find the same"},
           .expected = "all find the same",
           .answer = same ? "all find the same" : "they differ",
           .because = std::string(tr("Nobody is ever evicted."))});
  kit.show(sweep_figure(trace, {100, kSmall, 2 * kSmall, 4 * kSmall, UINT64_MAX}));
  kit.say(tr_format(
      "With room for {} blocks {} finds most, {:.1f} %, and {} least, {:.1f} %. LRU with twice the room "
      "finds {:.1f} %. The order of the policies is not a law: it depends on the traffic and on the room, "
      "so measure with your own.",
      kSmall, best->policy, best->percent, worst->policy, worst->percent, rate(trace, lru, 2 * kSmall).percent));
}

void the_end(LessonKit& kit, ScenarioRun& run) {
  run.to_end(kit);
  kit.expect("hits in the run that was told", 10, kit.world().prefix.hit_tokens);
  kit.say(
      tr_format("Back to the nine prompts and LRU: all have been served, {} of {} blocks were found, {} were "
                "evicted.",
                kit.world().prefix.hit_tokens, kit.world().prefix.queried_tokens, kit.world().evicted_blocks));
  kit.show(cache_figure(kit.world()));
  kit.say(
      std::string(tr("To remember: eviction costs time, never correctness; what is held is never evicted; the tail of "
                     "a prompt goes before its head, or the cache fills with orphans; and more room helps more surely "
                     "than a cleverer policy.")));
}

}  // namespace

void eviction(LessonKit& kit) {
  kit.title(std::string(tr("08 Eviction")));
  the_question(kit);
  ScenarioRun run(small_cache(), small_cache().defaults);
  the_first_victims(kit, run);
  tail_first(kit);
  five_policies(kit);
  more_traffic(kit);
  the_end(kit, run);
}

}  // namespace kvarium
