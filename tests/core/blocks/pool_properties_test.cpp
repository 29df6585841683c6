// Random operations on tiny pools, more than a million over the cases of this file. After each operation the world
// folded from the announced events must be sound, and must agree with the pool and the tables themselves.
// RapidCheck prints the seed of a run; RC_PARAMS="seed=N" repeats it.

#include <rapidcheck.h>

#include <algorithm>
#include <ostream>

#include "core/blocks/block_table.h"
#include "core/error.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/world.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

/// One random number, read as an operation: which one, on whose table, how much.
struct Op {
  std::uint32_t code = 0;
  std::uint32_t kind() const { return code & 15U; }
  std::uint32_t who() const { return (code >> 4U) & 3U; }
  std::uint32_t amount() const { return (code >> 6U) & 15U; }
};

std::ostream& operator<<(std::ostream& out, const Op& op) {
  return out << "{kind " << op.kind() << " who " << op.who() << " amount " << op.amount() << "}";
}

rc::Gen<std::vector<Op>> any_operations() {
  constexpr double kScale = 120;  // RapidCheck's sizes go up to 100: lists of up to 12,000 operations
  const auto op = rc::gen::map(rc::gen::inRange(0U, 1024U), [](std::uint32_t code) { return Op{code}; });
  return rc::gen::scale(kScale, rc::gen::container<std::vector<Op>>(op));
}

/// Folds each event at once.
class WorldSink : public EventSink {
 public:
  void emit(Event event) override { fold(world, event); }
  World world;
};

/// Four requests on one pool: A and B append and roll back through a BlockTable, C and D hold single blocks and share
/// those of others.
class Machine {
 public:
  Machine(std::uint32_t block_size, std::uint32_t num_blocks)
      : pool_(block_size, scrambled_order(num_blocks, num_blocks), sink_),
        tables_{{pool_, RequestId{0}}, {pool_, RequestId{1}}} {
    for (std::uint32_t id = 0; id < 4; ++id) {
      sink_.emit(RequestArrived{RequestId{id}, std::vector<TokenId>(std::size_t{block_size} * num_blocks), 0});
      sink_.emit(RequestAdmitted{RequestId{id}});
    }
  }

  void apply(const Op& op) {
    if (op.who() < 2) {
      apply_to_table(op, tables_[op.who()]);
    } else {
      apply_to_holder(op, RequestId{op.who()}, held_[op.who() - 2]);
    }
  }

  void check() const {
    // Not an RC_ASSERT each: those build two strings even when they hold, a million times over.
    if (const std::string wrong = fault(); !wrong.empty()) RC_FAIL(wrong);
  }

 private:
  /// Where the world is unsound, or differs from the pool and the tables; empty: nowhere.
  std::string fault() const {
    const std::vector<std::string> sentences = violations(sink_.world);
    if (!sentences.empty()) return sentences.front();
    if (show_pool(sink_.world) != pool_.show()) return show_pool(sink_.world) + " is not " + pool_.show();
    for (std::uint32_t id = 0; id < 2; ++id) {
      const BlockTable& table = tables_[id];
      if (sink_.world.request(RequestId{id}).table != table.blocks()) return "another table than " + table.show();
      if (sink_.world.request(RequestId{id + 2}).table != held_[id]) return "another list of single blocks";
      const std::uint64_t slots = table.blocks().size() * std::uint64_t{pool_.block_size()};
      const bool tight = slots >= table.num_tokens() && slots < table.num_tokens() + std::uint64_t{pool_.block_size()};
      if (!tight) return "too many or too few blocks: " + table.show();
    }
    return {};
  }

  void apply_to_table(const Op& op, BlockTable& table) {
    const std::size_t needed = table.free_needed(op.amount());
    std::vector<BlockCopy> copies;
    const bool fits = needed <= pool_.num_free();
    const std::uint32_t tokens = table.num_tokens();
    if (op.kind() < 7) {
      if (!fits) return unchanged([&] { RC_ASSERT_FALSE(table.append(op.amount(), copies)); });
      const bool copies_block = op.amount() > 0 && table.writes_into_shared();
      RC_ASSERT(table.append(op.amount(), copies));
      RC_ASSERT(copies.size() == (copies_block ? 1U : 0U));
      RC_ASSERT(table.num_tokens() == tokens + op.amount());
    } else if (op.kind() < 12) {
      if (op.amount() > tokens) return refused([&] { table.rollback_to(op.amount()); });
      table.rollback_to(op.amount());
      RC_ASSERT(table.num_tokens() == op.amount());
    } else if (op.kind() < 15) {
      compute(table, RequestId{op.who()});
    } else {
      table.release();
      RC_ASSERT(table.num_tokens() == 0U);
    }
  }

  void apply_to_holder(const Op& op, RequestId request, std::vector<BlockId>& held) {
    const BlockId block{op.amount()};
    if (op.kind() < 5) {
      if (pool_.num_free() == 0) return unchanged([&] { RC_ASSERT_FALSE(pool_.allocate(request).has_value()); });
      held.push_back(pool_.allocate(request).value());
    } else if (op.kind() < 9) {
      if (is_free_or_missing(block)) return refused([&] { pool_.share(request, block); });
      if (std::count(held.begin(), held.end(), block) > 0) return;  // a table names a block once
      pool_.share(request, block);
      held.push_back(block);
    } else if (op.kind() < 11) {
      if (is_free_or_missing(block)) return refused([&] { pool_.release(request, block); });
    } else if (!held.empty()) {
      pool_.release(request, held.back());
      held.pop_back();
    }
  }

  /// K and V of all tokens of the table that have none yet.
  void compute(const BlockTable& table, RequestId request) {
    const std::uint32_t first = sink_.world.request(request).computed_tokens;
    if (first < table.num_tokens()) {
      sink_.emit(KvComputed{request, first, table.num_tokens() - first, Phase::prefill, true});
    }
  }
  bool is_free_or_missing(BlockId block) const {
    return index(block) >= pool_.num_blocks() || pool_.ref_count(block) == 0;
  }

  template <typename Call>
  void refused(const Call& call) {
    unchanged([&] { RC_ASSERT_THROWS_AS(call(), MisuseError); });
  }
  template <typename Call>
  void unchanged(const Call& call) {
    const std::string before = pool_.show() + tables_[0].show() + tables_[1].show();
    const std::uint64_t events = sink_.world.events;
    call();
    RC_ASSERT(pool_.show() + tables_[0].show() + tables_[1].show() == before);
    RC_ASSERT(sink_.world.events == events);
  }

  WorldSink sink_;
  BlockPool pool_;
  BlockTable tables_[2];
  std::vector<BlockId> held_[2];
};

/// Counts the operations, so that a generator that has gone lazy is noticed.
void random_operations_keep_the_world_sound(std::uint32_t block_size, std::uint32_t num_blocks) {
  std::size_t operations = 0;
  CHECK(rc::check([&] {
    const std::vector<Op> ops = *any_operations();
    Machine machine(block_size, num_blocks);
    for (const Op& op : ops) {
      machine.apply(op);
      machine.check();
    }
    operations += ops.size();
  }));
  // 100 lists, the i-th of 0 to 120 * i operations: 297,000 on average, standard deviation 20,000.
  CHECK(operations > 200'000);
}

TEST_CASE("random operations on 4 blocks of 1 token keep the world sound") {
  random_operations_keep_the_world_sound(1, 4);
}
TEST_CASE("random operations on 5 blocks of 2 tokens keep the world sound") {
  random_operations_keep_the_world_sound(2, 5);
}
TEST_CASE("random operations on 3 blocks of 3 tokens keep the world sound") {
  random_operations_keep_the_world_sound(3, 3);
}
TEST_CASE("random operations on 8 blocks of 4 tokens keep the world sound") {
  random_operations_keep_the_world_sound(4, 8);
}

}  // namespace
}  // namespace kvarium
