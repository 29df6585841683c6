#include "cpu_reference/attention/cross_layer.h"

#include "core/cost/kv_bytes.h"
#include "cpu_reference/attention/cached.h"
#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::AttentionInputs;

namespace {

ModelShape four_layers() {
  ModelShape shape;
  shape.name = "four layers";
  shape.layers = 4;
  shape.query_heads = 2;
  shape.kv_heads = 1;
  shape.head_dim = 4;
  return shape;
}

}  // namespace

TEST_CASE("cross-layer attention gives neighbours one owner, you-only-cache-once the second half one") {
  CHECK(cross_layer_owners(6, 1) == LayerOwners{0, 1, 2, 3, 4, 5});
  CHECK(cross_layer_owners(6, 2) == LayerOwners{0, 0, 2, 2, 4, 4});
  CHECK(cross_layer_owners(7, 3) == LayerOwners{0, 0, 0, 3, 3, 3, 6});
  CHECK(only_once_owners(6) == LayerOwners{0, 1, 2, 3, 3, 3});
  CHECK(only_once_owners(1) == LayerOwners{0});
}

TEST_CASE("the cache has the owners' bytes alone") {
  const ModelShape shape = four_layers();
  const std::uint64_t all = kv_bytes(shape, 8, ElementType::fp32);
  CHECK(CrossLayerKvCache(shape, cross_layer_owners(4, 1), 8).bytes() == all);
  CHECK(CrossLayerKvCache(shape, cross_layer_owners(4, 2), 8).bytes() == all / 2);
  CHECK(CrossLayerKvCache(shape, only_once_owners(4), 8).bytes() == all / 4 * 3);
  CHECK(CrossLayerKvCache(shape, cross_layer_owners(4, 4), 8).bytes() == all / 4);
}

TEST_CASE("a layer without K and V of its own attends to its owner's, in prefill and in decode") {
  const ModelShape shape = four_layers();
  const Heads heads = heads_of(shape);
  CrossLayerKvCache cache(shape, cross_layer_owners(4, 2), 8);
  std::vector<AttentionInputs> layers;  // the K and V that layers 1 and 3 would have computed are never asked for
  for (std::uint64_t layer = 0; layer < 4; ++layer) layers.emplace_back(6, heads, layer);
  for (const auto& [first, count] : {std::pair{0U, 5U}, std::pair{5U, 1U}}) {
    for (std::uint32_t layer = 0; layer < 4; ++layer) {
      const AttentionInputs& owner = layers[layer / 2 * 2];
      if (cache.owns(layer)) {
        for (std::uint32_t p = first; p < first + count; ++p) {
          const KvRow row = cache.row(layer, p);
          std::copy_n(owner.keys.row(p).data(), 4, row.key);
          std::copy_n(owner.values.row(p).data(), 4, row.value);
        }
      }
      Work work;
      const Matrix queries = layers[layer].queries.middleRows(first, count);
      const Matrix out = attention_cached(queries, first, cache.runs(layer, first + count), heads, work);
      const auto expected =
          kvarium_test::attention_oracle(queries, owner.keys, owner.values, heads, kvarium_test::causal(Index{first}));
      CHECK(apart(out, expected.out) <= kvarium_test::attention_tolerance(4, 6));
    }
    cache.advance(count);
  }
  CHECK(cache.num_tokens() == 6);
  CHECK(cache.num_owners() == 2);
}

TEST_CASE("a cross-layer cache refuses owners that cannot be, and rows of layers that compute none") {
  const ModelShape shape = four_layers();
  CHECK_THROWS_WITH(CrossLayerKvCache(shape, {0, 1}, 8), "cross-layer cache: 2 owners for 4 layers");
  CHECK_THROWS_WITH(CrossLayerKvCache(shape, {0, 2, 2, 3}, 8), "cross-layer cache: layer 1 cannot attend to layer 2");
  CHECK_THROWS_WITH(CrossLayerKvCache(shape, {0, 0, 1, 3}, 8), "cross-layer cache: layer 2 cannot attend to layer 1");
  CHECK_THROWS_WITH(cross_layer_owners(4, 0), "cross-layer cache: 0 layers to an owner");
  CrossLayerKvCache cache(shape, cross_layer_owners(4, 2), 8);
  CHECK_THROWS_WITH(cache.row(3, 0), "cross-layer cache: layer 3 attends to layer 2 and computes no K and V");
  CHECK_THROWS(cache.row(0, 8));
  CHECK_THROWS(cache.runs(4, 1));
}
