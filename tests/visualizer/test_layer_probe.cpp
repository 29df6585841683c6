// Attention weights, K and V as numbers to draw and as text.

#include <cmath>

#include "tests/support/catch.h"
#include "visualizer/layout/layer_probe.h"
#include "visualizer/layout/probe_rows.h"
#include "visualizer/layout/probe_text.h"

using namespace kvarium;
using namespace kvarium::ui::layout;
using kvarium_test::Approx;
using kvarium_test::contains;

namespace {

/// Two query heads on one KV head of four channels, three tokens. Scores of token 2: 2, 4 and 6 over sqrt(4) = 1, 2, 3.
LayerProbe three_tokens() {
  LayerProbe probe;
  probe.shape.query_heads = 2;
  probe.shape.kv_heads = 1;
  probe.shape.head_dim = 4;
  probe.tokens = {TokenId{5}, TokenId{6}, TokenId{7}};
  probe.queries.assign(3 * 2 * 4, 0.0F);
  probe.keys.assign(3 * 4, 0.0F);
  probe.values.assign(3 * 4, 0.5F);
  for (std::size_t p = 0; p < 3; ++p) probe.keys[p * 4] = static_cast<float>(2 * p + 2);
  probe.queries[(2 * 2 + 1) * 4] = 1;  // of token 2, head 1
  const double sum = std::exp(-2) + std::exp(-1) + 1;
  const auto part = [sum](double score) { return static_cast<float>(std::exp(score) / sum); };
  const std::vector<float> even{1, 0.5F, 0.5F, 1.0F / 3, 1.0F / 3, 1.0F / 3};
  probe.attention = {even, {1, 0.5F, 0.5F, part(-2), part(-1), part(0)}};
  return probe;
}

RequestState request_of(std::size_t tokens) {
  RequestState request;
  request.tokens.assign(tokens, TokenId{5});
  return request;
}

}  // namespace

TEST_CASE("A weight's formula comes out as the weight") {
  const LayerProbe probe = three_tokens();
  const WeightFormula formula = weight_formula(probe, 1, 2, 1);
  CHECK(formula.product == 4);
  CHECK(formula.score == 2);
  CHECK(formula.largest == 3);
  CHECK(formula.weight == Approx(probe.weights(1, 2)[1]).epsilon(1e-6));
  const std::vector<std::string> lines = weight_lines(probe, 1, {2, 1}, "c", "b");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "token 2 \"c\" looks at 1 \"b\" with weight 0.2447 (24.5 %)");
  CHECK(lines[1] == "q2 · k1 = 4.000;  / sqrt(4) = 2.000;  exp(2.000 - 3.000) / 1.503 = 0.2447");
}

TEST_CASE("Positions with weight 0 are not summed: they lie outside the window") {
  LayerProbe probe = three_tokens();
  probe.attention[1] = {1, 0, 1, 0, 0, 1};
  CHECK(weight_formula(probe, 1, 2, 2).weight == 1);
  CHECK_THAT(weight_lines(probe, 1, {2, 0}, "c", "a")[1], contains("weight 0"));
}

TEST_CASE("Channels that stand out are named, with their smallest, mean and largest number") {
  LayerProbe probe = three_tokens();
  for (std::size_t i = 0; i < probe.values.size(); ++i)
    probe.values[i] = i % 4 == 2 ? -9.0F : 0.5F + 0.1F * static_cast<float>(i / 4);
  const auto channels = channel_numbers(probe, KvPart::values, 0, 3);
  CHECK(channels[0].low == 0.5F);
  CHECK(channels[0].mean == Approx(0.6));
  CHECK(channels[0].high == Approx(0.7));
  CHECK(outlier_channels(channels) == std::vector<std::uint32_t>{2});
  CHECK_THAT(kv_text(probe, 0, 3), contains("       2    -9.0000    -9.0000    -9.0000  stands out"));
  CHECK(kv_text(probe, 0, 0) == "No K and V at this moment.\n");
  CHECK(channel_numbers(probe, KvPart::keys, 0, 0).size() == 4);
}

TEST_CASE("Latent rows are called what they are, and divided by the width of the heads, not their own") {
  LayerProbe probe = three_tokens();
  probe.latent_dim = 3;
  probe.score_dim = 16;
  probe.values.clear();
  const std::vector<std::string> names{"a", "b", "c"};
  const std::vector<ProbeRow> rows(3, ProbeRow::computed);
  CHECK_THAT(attention_text(probe, 1, rows, names), contains("query head 1 (reads the latent rows)"));
  CHECK(kv_title(probe, KvPart::keys, 0) == "latent row and rotated key, K of all heads");
  CHECK_THAT(kv_text(probe, 0, 3), contains("latent row, V of all heads of layer 0, positions 0 to 2"));
  CHECK(channel_numbers(probe, KvPart::values, 0, 3).size() == 3);
  CHECK(weight_formula(probe, 1, 2, 1).score == 1);  // 4 / sqrt(16)
}

TEST_CASE("The text lists what each computed token looks at most, and no row of the future") {
  const LayerProbe probe = three_tokens();
  const std::vector<std::string> names{"a", "b", "c"};
  const std::vector<ProbeRow> rows{ProbeRow::found, ProbeRow::fresh, ProbeRow::waiting};
  CHECK(attention_text(probe, 1, rows, names) ==
        "Attention of layer 0, query head 1 (reads KV head 0); each token and what it looks at most:\n"
        "    0 \"a\"             0 \"a\" 100.0 %  (K and V were there already)\n"
        "    1 \"b\"             0 \"a\" 50.0 %  1 \"b\" 50.0 %  (computed in this step)\n");
}

TEST_CASE("A row is there once its query was computed; what was found in a cache never was") {
  RequestState request = request_of(6);
  request.computed_tokens = 4;
  request.new_first = 3;
  request.new_count = 1;
  const std::vector<WorkRow> work{{1, 2, 1, 3, true, Phase::prefill}, {2, 3, 1, 4, true, Phase::decode}};
  using enum ProbeRow;
  CHECK(probe_rows(request, work, 2) == std::vector<ProbeRow>{found, found, computed, fresh, waiting, waiting});
  request.new_count = 0;
  CHECK(num_shown(probe_rows(request, work, 3)) == 4);
}

TEST_CASE("K and V lie in blocks, in a region, or nowhere") {
  RequestState request = request_of(3);
  request.computed_tokens = 3;
  CHECK(kv_positions(request) == 0);  // given back
  request.table = {BlockId{7}};
  CHECK(kv_positions(request) == 3);
  request.table.clear();
  request.region = Region{0, 8};
  CHECK(kv_positions(request) == 3);
  RequestState thrown = request_of(3);
  thrown.new_count = 2;
  thrown.new_kept = false;
  CHECK(kv_positions(thrown) == 2);
}
