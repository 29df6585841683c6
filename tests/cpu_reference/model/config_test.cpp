#include "cpu_reference/model/config.h"

#include "core/error.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

ModelConfig small() {
  ModelConfig config;
  config.shape.layers = 2;
  config.shape.query_heads = 4;
  config.shape.kv_heads = 2;
  config.shape.head_dim = 6;
  config.shape.hidden = 20;  // not query_heads * head_dim: some models have it so
  config.shape.vocab = 11;
  config.shape.context = 16;
  config.ffn_hidden = 7;
  return config;
}

std::string refusal(const ModelConfig& config) {
  try {
    check(config, "model.bin");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a config is refused with the field, its value and its range") {
  CHECK(refusal(small()).empty());
  ModelConfig config = small();
  config.shape.layers = 0;
  CHECK(refusal(config) ==
        "model.bin: the number of layers is 0, and must be from 1 to 4096: the file or the setting is damaged");
  config = small();
  config.shape.vocab = 0x80000000U;
  CHECK_THAT(refusal(config), kvarium_test::contains("vocabulary is 2147483648"));
  config = small();
  config.shape.kv_heads = 3;
  CHECK_THAT(refusal(config), kvarium_test::contains("4 query heads cannot share 3 KV heads evenly"));
  config = small();
  config.shape.head_dim = 5;
  CHECK_THAT(refusal(config), kvarium_test::contains("even width"));
  config = small();
  config.norm_epsilon = NAN;
  CHECK_THAT(refusal(config), kvarium_test::contains("epsilon is nan"));
  config = small();
  config.rope_theta = INFINITY;
  CHECK_THAT(refusal(config), kvarium_test::contains("rotary base is inf"));
  config = small();
  config.shape.kv_kind = KvKind::latent;
  CHECK_THAT(refusal(config), kvarium_test::contains("MLA"));
}

TEST_CASE("weights have the shapes of the config, start on 64-byte boundaries and count as num_parameters says") {
  ModelConfig config = small();
  config.tied_head = GENERATE(false, true);
  const Model model(config, "test");
  const Weights& weights = model.weights;
  REQUIRE(weights.layers.size() == 2);
  std::uint64_t numbers = weights.embedding.numbers() + static_cast<std::uint64_t>(weights.final_norm.size());
  numbers += config.tied_head ? 0 : weights.head.numbers();
  for (const LayerWeights& layer : weights.layers) {
    for (const auto* norm : {&layer.attention_norm, &layer.ffn_norm})
      numbers += static_cast<std::uint64_t>(norm->size());
    for (const auto* matrix :
         {&layer.query, &layer.key, &layer.value, &layer.output, &layer.gate, &layer.up, &layer.down}) {
      CHECK(reinterpret_cast<std::uintptr_t>(matrix->data) % 64 == 0);
      numbers += matrix->numbers();
    }
  }
  CHECK(numbers == num_parameters(config));
  CHECK(weights.layers[1].query.rows == 24);
  CHECK(weights.layers[1].key.rows == 12);
  CHECK(weights.layers[1].output.columns == 24);
  CHECK(weights.layers[1].down.columns == 7);
  CHECK((weights.head.data == weights.embedding.data) == config.tied_head);
}

TEST_CASE("a model that no machine can hold is refused before memory is taken") {
  ModelConfig config = small();
  config.shape.hidden = 1U << 20;
  config.shape.layers = 1U << 12;
  config.ffn_hidden = 1U << 20;
  CHECK_THROWS_AS(Model(config, "test"), InputError);
}
