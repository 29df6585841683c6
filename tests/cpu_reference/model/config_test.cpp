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

/// A latent row of 10 + 4, values of 5.
ModelConfig small_latent() {
  ModelConfig config = small();
  config.shape.kv_kind = KvKind::latent;
  config.shape.kv_heads = 4;
  config.shape.latent_dim = 10;
  config.shape.rotary_key_dim = 4;
  config.latent_value_dim = 5;
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
}

TEST_CASE("a config of latent attention is refused with what does not go with it") {
  CHECK(refusal(small_latent()).empty());
  const auto refused = [](auto change) {
    ModelConfig config = small_latent();
    change(config);
    return refusal(config);
  };
  using kvarium_test::contains;
  CHECK(
      refused([](ModelConfig& c) { c.shape.latent_dim = 0; }) ==
      "model.bin: the width of the latent row is 0, and must be from 1 to 1048576: the file or the setting is damaged");
  CHECK_THAT(refused([](ModelConfig& c) { c.shape.rotary_key_dim = 0; }), contains("width of the rotated key is 0"));
  CHECK_THAT(refused([](ModelConfig& c) { c.shape.rotary_key_dim = 3; }), contains("3 numbers of a head are rotated"));
  CHECK_THAT(refused([](ModelConfig& c) { c.latent_value_dim = 257; }), contains("width of a value is 257"));
  CHECK_THAT(refused([](ModelConfig& c) { c.shape.kv_heads = 2; }), contains("2 KV heads for 4 query heads"));
  CHECK_THAT(refused([](ModelConfig& c) { c.latent_norm_epsilon = 0; }), contains("latent norm's epsilon is 0"));
  CHECK_THAT(refused([](ModelConfig& c) { c.sliding_window = 4; }), contains("MLA"));
  CHECK_THAT(refused([](ModelConfig& c) { c.qk_norm = true; }), contains("MLA"));
  CHECK_THAT(refused([](ModelConfig& c) { c.positions = Positions::learned; }), contains("MLA"));
}

TEST_CASE("weights have the shapes of the config, start on 64-byte boundaries and count as num_parameters says") {
  ModelConfig config = GENERATE(small(), small_latent());
  config.tied_head = GENERATE(false, true);
  const Model model(config, "test");
  const Weights& weights = model.weights;
  REQUIRE(weights.layers.size() == 2);
  std::uint64_t numbers = weights.embedding.numbers() + static_cast<std::uint64_t>(weights.final_norm.size());
  numbers += config.tied_head ? 0 : weights.head.numbers();
  for (const LayerWeights& layer : weights.layers) {
    for (const auto* norm : {&layer.attention_norm, &layer.ffn_norm, &layer.latent_norm})
      numbers += static_cast<std::uint64_t>(norm->size());
    for (const auto member : kLayerMatrices) {
      CHECK(reinterpret_cast<std::uintptr_t>((layer.*member).data) % 64 == 0);
      numbers += (layer.*member).numbers();
    }
  }
  CHECK(numbers == num_parameters(config));
  CHECK(weights.layers[1].query.rows == (config.latent() ? 4 * (6 + 4) : 24));
  CHECK(weights.layers[1].key.rows == (config.latent() ? 0 : 12));
  CHECK(weights.layers[1].output.columns == (config.latent() ? 4 * 5 : 24));
  CHECK(weights.layers[1].latent_down.rows == (config.latent() ? 10 + 4 : 0));
  CHECK(weights.layers[1].latent_up.rows == (config.latent() ? 4 * (6 + 5) : 0));
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
