// The bug zoo: each fault is caught by an invariant, at the event where it happens; without it the same requests run
// clean.

#include "core/faults/fault.h"

#include "core/error.h"
#include "core/faults/skipping_scheduler.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

/// What the invariants say first, and after which event; empty: nothing is ever wrong.
struct Caught {
  std::string event;
  std::string sentence;
  bool operator==(const Caught&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Caught& caught) {
  return out << caught.event << ": " << caught.sentence;
}

Caught first_violation(const std::vector<Event>& events) {
  World world;
  for (const Event& event : events) {
    fold(world, event);
    const std::vector<std::string> wrong = violations(world);
    if (!wrong.empty()) return {names_of({event}, 0), wrong.front()};
  }
  return {};
}

const Scheduler& sound_scheduler() {
  static const ContinuousScheduler kScheduler;
  return kScheduler;
}

/// An engine of the zoo. It is not checked after each step, as that would find the fault.
struct Cage {
  explicit Cage(const EngineConfig& config, const Scheduler& scheduler = sound_scheduler())
      : engine(config, runner, scheduler, text, sink) {}
  /// One request after another.
  void serve(const RequestSpec& spec) {
    engine.submit(spec);
    run();
  }
  void run() {
    while (engine.step()) {
    }
  }
  Caught caught() const { return first_violation(sink.events); }

  VectorSink sink;
  FakeRunner runner;
  LetterText text;
  Engine engine;
};

EngineConfig config(PrefixCaching cache, Fault fault, std::uint32_t num_blocks = 16, std::uint32_t block_size = 4) {
  EngineConfig config;
  config.block_size = block_size;
  config.hand_out_order = ascending_order(num_blocks);
  config.prefix_cache.kind = cache;
  config.fault = fault;
  return config;
}

}  // namespace

TEST_CASE("hash without parent: the same four tokens after another beginning are taken for the same text") {
  const Fault fault = GENERATE(values({Fault::none, Fault::hash_without_parent}));
  Cage cage(config(PrefixCaching::hash, fault));
  cage.serve(ask("abcdefgh", 1));
  cage.serve(ask("abcdmnop", 1));
  cage.serve(ask("mnopabcdx", 1));
  if (fault == Fault::none) CHECK(cage.caught() == Caught{});
  if (fault != Fault::none) {
    CHECK(cage.caught() == Caught{"PrefixMatched",
                                  "Request C reads block 2 as its logical block 0, but the block holds K and V of "
                                  "another text, of request B."});
  }
}

TEST_CASE("salt mixed up: one tenant is served from what another one computed") {
  const Fault fault = GENERATE(values({Fault::none, Fault::salt_mixed_up}));
  Cage cage(config(PrefixCaching::hash, fault));
  RequestSpec spec = ask("abcdefgh", 1);
  spec.keys.tenant_salt = "a";
  cage.serve(spec);
  spec.keys.tenant_salt = "b";
  cage.serve(spec);
  CHECK(cage.caught() == (fault == Fault::none
                              ? Caught{}
                              : Caught{"PrefixMatched",
                                       "Request B reads block 0 as its logical block 0, but the block holds K and V "
                                       "of another text, of request A."}));
}

TEST_CASE("hit before compute: a block can be found while nothing is in it") {
  const Fault fault = GENERATE(values({Fault::none, Fault::hit_before_compute}));
  Cage cage(config(PrefixCaching::hash, fault));
  cage.serve(ask("abcdefgh", 1));
  CHECK(cage.caught() ==
        (fault == Fault::none
             ? Caught{}
             : Caught{"BlockCached", "Block 0 can be found by its hash, yet only 0 of its 4 slots are written."}));
}

TEST_CASE("hit before compute: when the step fails, what is found later is garbage") {
  Cage cage(config(PrefixCaching::hash, Fault::hit_before_compute));
  cage.runner.fail_at = 1;
  const RequestId a = cage.engine.submit(ask("abcdefgh", 1));
  CHECK_THROWS(cage.engine.step());
  cage.engine.abort(a);
  cage.serve(ask("abcdefgh", 1));
  CHECK(cage.engine.request(RequestId{1}).text != answer_of("abcdefgh", 1));
}

TEST_CASE("tail-block leak: who is done still holds a block, and the pool runs dry") {
  const Fault fault = GENERATE(values({Fault::none, Fault::tail_block_leak}));
  Cage cage(config(PrefixCaching::off, fault, 4));
  cage.serve(ask("abcdef", 2));
  CHECK(cage.caught() ==
        (fault == Fault::none ? Caught{} : Caught{"RequestFinished", "Request A does not run, yet it holds 4 slots."}));
  CHECK(cage.engine.pool().num_free() == (fault == Fault::none ? 4 : 3));
  if (fault == Fault::none) return;
  for (int i = 0; i < 2; ++i) cage.serve(ask("abcdef", 2));
  cage.engine.submit(ask("abcdef", 2));
  CHECK_THROWS_WITH(cage.engine.step(), contains("no progress") && contains("1 of 4 blocks are free"));
}

TEST_CASE("double free: a block that another request still holds is handed out again") {
  const Fault fault = GENERATE(values({Fault::none, Fault::double_free}));
  Cage cage(config(PrefixCaching::off, fault));
  RequestSpec spec = ask("abcdefgh", 8);
  spec.candidates = 2;
  cage.engine.submit(spec);
  cage.engine.step();
  cage.engine.step();
  cage.engine.abort(RequestId{0});  // an abort is clean; B goes on alone
  cage.engine.fork(RequestId{1}, 9);
  if (fault == Fault::none) cage.run();
  if (fault != Fault::none) CHECK_THROWS_WITH(cage.run(), contains("cannot be released twice"));  // when C is done too
  CHECK(cage.engine.request(RequestId{1}).status == RequestStatus::finished);
  CHECK(cage.caught() == (fault == Fault::none
                              ? Caught{}
                              : Caught{"BlockReleased", "Block 1 has ref count 0, but 1 table entries name it."}));
}

TEST_CASE("flat LRU: a trunk goes before its leaves, and nobody finds these any more") {
  const Fault fault = GENERATE(values({Fault::none, Fault::flat_lru}));
  Cage cage(config(PrefixCaching::radix, fault, 16, 1));
  for (const char* prompt : {"bcdefghi", "bcdefjkl", "bcdmn", "bcdefghio", "uvwx", "pqrstyz"})
    cage.serve(ask(prompt, 1));
  const Caught caught = cage.caught();
  if (fault == Fault::none) CHECK(caught == Caught{});
  if (fault != Fault::none) {
    CHECK(caught.event == "RadixNodeRemoved");
    CHECK_THAT(caught.sentence, contains("of the radix tree is an orphan"));
  }
}

TEST_CASE("queue changed in a loop (F18): every other request is skipped") {
  const SkippingScheduler skipping;
  const bool is_faulty = GENERATE(false, true);
  Cage cage(config(PrefixCaching::off, Fault::none),
            is_faulty ? static_cast<const Scheduler&>(skipping) : sound_scheduler());
  for (const char* prompt : {"ab", "cd", "ef", "gh"}) cage.engine.submit(ask(prompt, 4));
  CHECK(show(cage.engine.plan()) ==
        (is_faulty ? "admit A C | compute A:2 C:2" : "admit A B C D | compute A:2 B:2 C:2 D:2"));
  cage.run();
  CHECK(cage.caught() ==
        (is_faulty ? Caught{"RequestAdmitted", "Request B waits, though request C, which came later, was admitted."}
                   : Caught{}));
}

TEST_CASE("faults are found by name; none is on by default") {
  CHECK(EngineConfig{}.fault == Fault::none);
  CHECK(find_fault("none") == Fault::none);
  for (const NamedFault& named : faults()) CHECK(find_fault(named.name) == named.fault);
  CHECK(find_fault("Double Free") == Fault::double_free);
  CHECK_THROWS_WITH(find_fault("triple-free"), contains("there is no fault 'triple-free': use one of none, hash-"));
}
