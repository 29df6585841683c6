// Lesson 04: where K and V lie. A prompt of 17 tokens in blocks of 8, handed out in scrambled order, and a table that
// says which block is where. Runs on scenario S02; the chapter is docs/lessons/04_paged_blocks.md.

#include "core/cost/waste.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/kit/figures.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0};

/// The lengths that a small server may see at once, and the longest that it allows.
const std::vector<std::uint64_t>& some_lengths() {
  static const std::vector<std::uint64_t> kLengths{17, 40, 9, 64};
  return kLengths;
}
constexpr std::uint64_t kLongest = 64;

double percent(double fraction) { return 100.0 * fraction; }

/// Before paging: a row for each request, as long as the longest text.
void the_row(LessonKit& kit) {
  const Waste row = contiguous_waste(some_lengths(), kLongest);
  kit.expect("slots reserved in rows", 256, row.reserved);
  kit.say(
      std::string(tr("Each token leaves a K and a V behind, and the model reads them all at each step: that is the KV "
                     "cache (lesson 01). One token's place in it is called a slot. The text grows by one token a step, "
                     "and nobody knows where it will end. So where should the slots be?")));
  kit.say(
      tr_format("The first idea is a row of slots for each request, as long as the longest text that is allowed. Four "
                "requests of 17, 40, 9 and 64 tokens, with at most {} allowed, take {} slots and fill {}: {:.1f} % of "
                "the memory holds nothing, and nobody else may have it.",
                kLongest, row.reserved, row.used, percent(row.fraction())));
}

/// The pool of scenario S02, empty.
void the_pool(LessonKit& kit, ScenarioRun& run) {
  run.through<PoolCreated>(kit);
  const World& world = kit.world();
  kit.say(
      tr_format("An operating system has the same trouble with programs that grow, and its answer is pages: cut the "
                "memory into pieces of one size and hand them out one by one. Here is a pool of {} such pieces, each "
                "with {} slots; a dot is a free slot. A piece is called a block, or a page. The method is "
                "PagedAttention (Kwon et al. 2023).",
                world.blocks.size(), world.block_size));
  kit.show(pool_figure(world));
  kit.say(
      std::string(tr("The blocks are handed out in a scrambled order on purpose. In a server that has run for an hour "
                     "the free blocks lie anywhere, and it must not matter.")));
}

/// The prompt arrives and takes its blocks.
void the_table(LessonKit& kit, ScenarioRun& run) {
  run.to_step(0, kit);
  const World prefilled = run.after_step(1);
  const RequestState& after = prefilled.request(kA);
  kit.ask({.text = tr_format("A request arrives, A, with a prompt of {} tokens. How many blocks of {} does it need?",
                             after.prompt_tokens, prefilled.block_size),
           .choices = {},
           .expected = "3",
           .answer = std::to_string(after.table.size()),
           .because = tr_format("{} / {}, rounded up.", after.prompt_tokens, prefilled.block_size)},
          {point(kA)});
  const BlockId next = kit.world().free_blocks.front();
  kit.ask({.text = std::string(tr("Which block will be the first in A's table? The figure above shows the queue.")),
           .choices = {"0", "7", "13"},
           .expected = "7",
           .answer = std::to_string(value(next)),
           .because = std::string(tr("Blocks leave the queue at its head, whatever their number."))},
          {point(next)});
  run.to_step(1, kit);
  const RequestState& a = kit.world().request(kA);
  kit.show(table_figure(kit.world(), a));
  std::vector<std::string> points{point(kA, 0), point(kA, 1), point(kA, 2)};
  for (const BlockId block : a.table) points.push_back(point(block));
  kit.say(std::string(
              tr("That list is the block table: entry 0 says where the first block of the text lies, entry 1 where "
                 "the second lies. A request needs nothing else to find its tokens. In the pool, the letter A marks "
                 "a slot that is filled, and _ one that A holds but has not filled yet.")),
          std::move(points));
  kit.show(pool_figure(kit.world()));
}

/// From a token's position to its slot.
void the_address(LessonKit& kit) {
  const World& world = kit.world();
  const RequestState& a = world.request(kA);
  constexpr std::uint32_t kPosition = 13;
  const Slot slot = slot_of(world, a, kPosition);
  kit.say(
      tr_format(
          "To find a token, divide its position by the block size. The quotient says which entry of the table, "
          "the rest (written %) says which slot inside that block. Positions and slots count from 0. For example, {}.",
          show_slot(world, kA, 0)),
      {point(kA, 0), point(slot_of(world, a, 0))});
  kit.ask(
      {.text = tr_format("In which slot do K and V of the token at position {} lie? (Slot = block × {} + place in the "
                         "block.)",
                         kPosition, world.block_size),
       .choices = {},
       .expected = "29",
       .answer = std::to_string(value(slot)),
       .because = show_slot(world, kA, kPosition)},
      {point(kA, kPosition / world.block_size), point(slot)});
  const Slot before = slot_of(world, a, 7);
  const Slot after = slot_of(world, a, 8);
  kit.expect("slot of position 7", 63, value(before));
  kit.expect("slot of position 8", 24, value(after));
  kit.expect("slot of position 16", 96, value(slot_of(world, a, 16)));
  kit.say(tr_format(
              "Positions 7 and 8 are neighbours in the text and lie in slots {} and {}, far apart. Attention does not "
              "mind: it walks the table and reads each key where it lies. The numbers are the same as from a row.",
              value(before), value(after)),
          {point(before), point(after)});
}

/// The empty slots of the last block.
void the_slack(LessonKit& kit) {
  const World& world = kit.world();
  const RequestState& a = world.request(kA);
  const Waste paged = paged_waste({a.computed_tokens}, world.block_size);
  kit.ask({.text = tr_format("A holds {} slots. How many of them are empty?", paged.reserved),
           .choices = {},
           .expected = "7",
           .answer = std::to_string(paged.unused()),
           .because = std::string(tr("Only the last block of a request can be partly empty."))},
          {point(a.table.back())});
  kit.say(
      tr_format(
          "That is {:.1f} % of what A holds. A popular figure for paging is \"under 4 % waste\"; it is right for long "
          "texts only. What is sure is less than one block a request: at most {} slots here, however long the "
          "text grows.",
          percent(paged.fraction()), world.block_size - 1),
      {point(a.table.back())});
}

/// Decoding fills the last block; then the table grows.
void the_growth(LessonKit& kit, ScenarioRun& run) {
  run.to_step(3, kit);
  const std::uint32_t block_size = kit.world().block_size;
  kit.say(
      tr_format("Now A writes. Each step adds one token, and it goes into the next empty slot of the last block. After "
                "step {} A has {} tokens in the cache and still {} blocks: no new memory was asked for.",
                kit.world().step, kit.world().request(kA).computed_tokens, kit.world().request(kA).table.size()),
      {point(kA)});
  kit.show(table_figure(kit.world(), kit.world().request(kA)));
  World grown = kit.world();
  while (grown.request(kA).table.size() == kit.world().request(kA).table.size()) grown = run.after_step(grown.step + 1);
  const RequestState& after = grown.request(kA);
  kit.ask({.text = std::string(tr("Which position is the first that does not fit into these blocks?")),
           .choices = {},
           .expected = "24",
           .answer = std::to_string(after.computed_tokens - 1),
           .because = tr_format("Three blocks hold positions 0 to {}.", 3 * block_size - 1)},
          {point(kA)});
  run.to_step(grown.step, kit);
  kit.say(
      tr_format(
          "In step {} the pool handed out one more block, number {}, the next in the queue. One step, one entry, no "
          "copying: the older tokens stay where they are.",
          grown.step, value(after.table.back())),
      {point(kA, after.table.size() - 1), point(after.table.back())});
  kit.show(table_figure(kit.world(), kit.world().request(kA)));
}

/// The four requests of the beginning again, in blocks of every size.
void the_block_size(LessonKit& kit) {
  const std::uint32_t block_size = kit.world().block_size;
  const Waste row = contiguous_waste(some_lengths(), kLongest);
  const Waste paged = paged_waste(some_lengths(), block_size);
  std::string sweep = tr_format("{:>10}  {:>14}  {:>12}\n", "block size", "empty slots", "table entries");
  for (const std::uint64_t size : {1, 4, 8, 16, 32, 64}) {
    const Waste waste = paged_waste(some_lengths(), size);
    sweep += fmt::format("{:>10}  {:>12.1f} %  {:>12}\n", size, percent(waste.fraction()), waste.table_entries);
  }
  kit.say(tr_format(
      "Back to the four requests. In rows, {:.1f} % of the memory held nothing. In blocks of {} it is {:.1f} %. "
      "Smaller blocks waste less and make longer tables:",
      percent(row.fraction()), block_size, percent(paged.fraction())));
  kit.show(sweep);
}

/// The request ends and its blocks go back.
void the_end(LessonKit& kit, ScenarioRun& run) {
  const std::size_t held = run.after_step(run.last_step() - 1).request(kA).table.size();
  run.to_end(kit);
  kit.say(tr_format(
      "After step {} A is done. Its {} blocks go back to the tail of the queue, the last one first, and all {} "
      "blocks are free again. Whoever comes next gets them in this order.",
      kit.world().step, held, kit.world().free_blocks.size()));
  kit.show(pool_figure(kit.world()));
  kit.say(std::string(
      tr("To remember: the cache is cut into blocks of one size; a table says which block holds which part of "
         "the text; a slot is table[position / size] × size + position % size; the waste is less than one "
         "block a request. Blocks that a table only names can also be shared by several tables. That is "
         "how prompts are reused, and a later lesson.")));
}

}  // namespace

void paged_blocks(LessonKit& kit) {
  kit.title(std::string(tr("04 Paged blocks")));
  the_row(kit);
  const Scenario& scenario = find_scenario("S02");
  ScenarioRun run(scenario, scenario.defaults);
  the_pool(kit, run);
  the_table(kit, run);
  the_address(kit);
  the_slack(kit);
  the_growth(kit, run);
  the_block_size(kit);
  the_end(kit, run);
}

}  // namespace kvarium
