#include "cpu_reference/cpu_runner.h"

#include "core/error.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;

TEST_CASE("the runner computes a batch of sequences at different points, each in its own blocks") {
  const auto model = kvarium_test::seeded_model({});
  CpuRunner runner(model);
  runner.create_cache(6, 4);
  const std::vector<TokenId> a = random_tokens(9, 256, 1), b = random_tokens(6, 256, 2);
  const std::vector<BlockId> table_a{BlockId{5}, BlockId{0}, BlockId{3}}, table_b{BlockId{1}, BlockId{4}};

  const ScheduledSequence prefill_a{RequestId{0}, std::span(a).first(7), 0, table_a};
  runner.forward(std::vector{prefill_a});
  // A continues with two tokens while B's whole prompt is computed.
  const ForwardResult result = runner.forward(std::vector<ScheduledSequence>{
      {RequestId{0}, std::span(a).subspan(7), 7, table_a}, {RequestId{1}, b, 0, table_b}});

  REQUIRE(result.logits.size() == 2 * 256);
  REQUIRE(result.work.size() == 2);
  CHECK(result.work[0].kv_projections == 2 * 2);  // tokens, layers
  CHECK(result.work[1].kv_projections == 6 * 2);
  Work work;
  const Transformer transformer(*model);
  const std::vector<float> alone_a = transformer.forward_uncached(a, work);
  const std::vector<float> alone_b = transformer.forward_uncached(b, work);
  CHECK(difference(std::span(result.logits).first(256), alone_a) <= reordering_tolerance(model->config, alone_a));
  CHECK(difference(std::span(result.logits).last(256), alone_b) <= reordering_tolerance(model->config, alone_b));
}

TEST_CASE("each sequence of a batch gets the logits of as many of its last tokens as it asks for") {
  const auto model = kvarium_test::seeded_model({});
  CpuRunner runner(model);
  runner.create_cache(4, 4);
  const std::vector<TokenId> a = random_tokens(7, 256, 1), b = random_tokens(5, 256, 2);
  const std::vector<BlockId> table_a{BlockId{3}, BlockId{0}}, table_b{BlockId{1}, BlockId{2}};
  const ForwardResult result = runner.forward(
      std::vector<ScheduledSequence>{{RequestId{0}, a, 0, table_a, 3}, {RequestId{1}, b, 0, table_b, 5}});

  Work work;
  const Transformer transformer(*model);
  const std::vector<float> all_a = transformer.forward_uncached_all(a, work);
  const std::vector<float> all_b = transformer.forward_uncached_all(b, work);
  REQUIRE(result.logits.size() == (3 + 5) * 256);
  const std::span<const float> logits(result.logits);
  const auto last_of_a = std::span(all_a).last(3 * 256);  // A's last 3 tokens, then all of B's
  CHECK(difference(logits.first(3 * 256), last_of_a) <= reordering_tolerance(model->config, all_a));
  CHECK(difference(logits.last(5 * 256), all_b) <= reordering_tolerance(model->config, all_b));
}

TEST_CASE("the runner refuses a batch with one bad sequence, and computes none of it") {
  CpuRunner runner(kvarium_test::seeded_model({}));
  runner.create_cache(3, 2);
  const std::vector<BlockId> table{BlockId{0}, BlockId{1}}, unknown{BlockId{3}};
  const std::vector<TokenId> tokens = random_tokens(4, 256, 1), outside{TokenId{256}};
  const ScheduledSequence good{RequestId{0}, tokens, 0, table};
  const std::vector<float> expected = runner.forward(std::vector{good}).logits;

  // Behind a good sequence that would overwrite positions 0 and 1, each of these is refused.
  const std::vector<TokenId> others = random_tokens(2, 256, 9);
  const ScheduledSequence overwriting{RequestId{1}, others, 0, table};
  const auto refuse = [&](const ScheduledSequence& bad) {
    CHECK_THROWS_AS(runner.forward(std::vector{overwriting, bad}), MisuseError);
  };
  refuse({RequestId{0}, {}, 4, table});
  refuse({RequestId{0}, outside, 0, table});
  refuse({RequestId{0}, tokens, 1, table});
  refuse({RequestId{0}, tokens, 0, unknown});
  refuse({RequestId{0}, tokens, 0, {}});
  refuse({RequestId{0}, tokens, 0, table, 0});
  refuse({RequestId{0}, tokens, 0, table, 5});
  CHECK_THROWS_AS(runner.forward({}), MisuseError);

  // The last token again, over the untouched rows of the first three.
  const ScheduledSequence last{RequestId{0}, std::span(tokens).last(1), 3, table};
  CHECK(difference(runner.forward(std::vector{last}).logits, expected) <=
        reordering_tolerance(kvarium_test::seeded_model({})->config, expected));
}

TEST_CASE("the runner needs a cache, once, of a size that fits") {
  CpuRunner runner(kvarium_test::seeded_model({}));
  const std::vector<TokenId> tokens = random_tokens(1, 256, 1);
  const std::vector<BlockId> table{BlockId{0}};
  const ScheduledSequence sequence{RequestId{0}, tokens, 0, table};
  CHECK_THROWS_AS(runner.forward(std::vector{sequence}), MisuseError);
  CHECK_THROWS_AS(runner.create_cache(0, 4), InputError);
  CHECK_THROWS_AS(runner.create_cache(0xFFFFFFFFU, 0xFFFFFFFFU), InputError);
  runner.create_cache(1, 1);
  CHECK_THROWS_AS(runner.create_cache(1, 1), MisuseError);
  CHECK(runner.forward(std::vector{sequence}).logits.size() == runner.shape().vocab);
}

TEST_CASE("of a list of copies with one bad one none is made") {
  CpuRunner runner(kvarium_test::seeded_model({}));
  runner.create_cache(3, 4);
  const std::vector<TokenId> tokens = random_tokens(4, 256, 1);
  const std::vector<BlockId> first{BlockId{0}}, second{BlockId{1}};
  runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, tokens, 0, first}, {RequestId{1}, tokens, 0, second}});
  const std::vector<std::byte> before = runner.save(first);
  runner.forward(std::vector<ScheduledSequence>{{RequestId{1}, random_tokens(4, 256, 2), 0, second}});
  CHECK_THROWS_AS(runner.copy(std::vector<BlockCopy>{{BlockId{1}, BlockId{0}, 4}, {BlockId{1}, BlockId{3}, 4}}),
                  MisuseError);
  CHECK(runner.save(first) == before);
}
