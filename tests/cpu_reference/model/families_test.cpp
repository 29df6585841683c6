// Every family of models that the transformer runs, against plain loops in double, and its paths against each other.

#include <deque>

#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/workspace.h"
#include "tests/cpu_reference/model/plain_transformer.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::families;
using kvarium_test::Family;
using kvarium_test::random_model;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;

namespace {

Family any_family() { return families()[GENERATE(range(std::size_t{0}, families().size()))]; }

std::vector<float> as_floats(const std::vector<double>& numbers) {
  std::vector<float> floats;
  for (const double number : numbers) floats.push_back(static_cast<float>(number));
  return floats;
}

}  // namespace

TEST_CASE("each family's logits are those of its equations, computed as plain loops in double") {
  const Family family = any_family();
  CAPTURE(family.name);
  const Model model = random_model(family.config, 12);
  const std::vector<TokenId> tokens = random_tokens(11, 53, 3);
  const std::vector<float> expected = as_floats(kvarium_test::PlainTransformer(model).logits(tokens));
  Work work;
  CHECK(difference(Transformer(model).forward_uncached(tokens, work), expected) <=
        reordering_tolerance(family.config, expected));
}

TEST_CASE("each family decodes from a cache what it computes without one") {
  const Family family = any_family();
  CAPTURE(family.name);
  const Model model = random_model(family.config, 5);
  const Transformer transformer(model);
  const std::vector<TokenId> tokens = random_tokens(17, 53, 8);
  Work work;
  const std::vector<float> all = transformer.forward_uncached_all(tokens, work);
  const float tolerance = reordering_tolerance(family.config, all);
  ContiguousKvCache cache(family.config.shape, 17);
  transformer.prefill(std::span(tokens).first(4), cache, work);
  for (std::size_t t = 4; t < tokens.size(); ++t) {
    CHECK(difference(transformer.decode_one(tokens[t], cache, work), std::span(all).subspan(t * 53, 53)) <= tolerance);
  }
}

TEST_CASE("the settings matter: no two families give the same logits for the same seed") {
  std::vector<std::vector<float>> seen;
  const std::vector<TokenId> tokens = random_tokens(11, 53, 3);
  Work work;
  for (const Family& family : families()) {
    CAPTURE(family.name);
    const Model model = random_model(family.config, 12);
    const std::vector<float> logits = Transformer(model).forward_uncached(tokens, work);
    for (const auto& other : seen) CHECK(difference(logits, other) > 10 * reordering_tolerance(family.config, logits));
    seen.push_back(logits);
  }
}

TEST_CASE("sequences of one pass get the logits that each gets alone, and the weights are read once") {
  const Family family = any_family();
  CAPTURE(family.name);
  const Model model = random_model(family.config, 7);
  const Transformer transformer(model);
  Workspace together, alone;
  std::deque<ContiguousKvCache> caches, own;
  for (int i = 0; i < 3; ++i) {
    caches.emplace_back(family.config.shape, 20);
    own.emplace_back(family.config.shape, 20);
  }
  const std::vector<TokenId> a = random_tokens(9, 53, 1), b = random_tokens(6, 53, 2), c = random_tokens(4, 53, 3);
  std::vector<Work> before(3), work(3);
  const std::vector<std::span<const TokenId>> tokens{a, b, c};
  // B's first three tokens are in its cache before the pass.
  for (std::deque<ContiguousKvCache>* set : {&caches, &own}) {
    const SequenceInput input{std::span(b).first(3), &(*set)[1]};
    transformer.forward({&input, 1}, alone, {before.data(), 1});
  }
  const std::vector<SequenceInput> batch{{a, &caches[0]}, {std::span(b).subspan(3), &caches[1]}, {c, &caches[2]}};
  const std::span<const float> logits = transformer.forward(batch, together, work);
  Work sum_of_alone;
  for (std::size_t i = 0; i < 3; ++i) {
    const SequenceInput input{batch[i].tokens, &own[i]};
    Work one;
    const std::span<const float> expected = transformer.forward({&input, 1}, alone, {&one, 1});
    CHECK(difference(logits.subspan(i * 53, 53), expected) <= reordering_tolerance(family.config, expected));
    CHECK(work[i].flops == one.flops);
    CHECK(work[i].kv_projections == one.kv_projections);
    CHECK(work[i].score_products == one.score_products);
    sum_of_alone += one;
  }
  CHECK(caches[1].num_tokens() == 6);
  const std::uint64_t read = work[0].bytes_read + work[1].bytes_read + work[2].bytes_read;
  CHECK(sum_of_alone.bytes_read - read >= 2 * (matrix_bytes(model.weights) - model.weights.position_embedding.bytes() -
                                               (family.config.tied_head ? 0 : model.weights.embedding.bytes())));
}

TEST_CASE("the number of threads changes no bit of the logits") {
  const Family family = any_family();
  CAPTURE(family.name);
  const Model model = random_model(family.config, 7);
  const Transformer transformer(model);
  const std::vector<TokenId> tokens = random_tokens(30, 53, 4);
  std::vector<std::vector<float>> results;
  for (const std::uint32_t threads : {1U, 2U, 3U}) {
    Workspace workspace(threads);
    ContiguousKvCache cache(family.config.shape, 40);
    Work work;
    const SequenceInput prompt{tokens, &cache};
    const std::span<const float> prefilled = transformer.forward({&prompt, 1}, workspace, {&work, 1});
    std::vector<float> both(prefilled.begin(), prefilled.end());
    const SequenceInput next{std::span(tokens).first(1), &cache};
    const std::span<const float> decoded = transformer.forward({&next, 1}, workspace, {&work, 1});
    both.insert(both.end(), decoded.begin(), decoded.end());
    results.push_back(both);
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}
