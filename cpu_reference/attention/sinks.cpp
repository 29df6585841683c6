#include "cpu_reference/attention/sinks.h"

#include <algorithm>
#include <numeric>

#include "cpu_reference/attention/cached.h"
#include "cpu_reference/operators/rope.h"

namespace kvarium::cpu {

std::vector<std::uint32_t> rows_to_keep(const SinkRule& rule, std::uint32_t length, std::uint32_t coming) {
  std::vector<std::uint32_t> rows(length);
  std::iota(rows.begin(), rows.end(), 0U);
  if (std::uint64_t{length} + coming <= rule.capacity()) return rows;
  const std::uint32_t sinks = std::min(rule.sinks, length);
  const std::uint32_t recent = std::min(rule.recent - std::min(rule.recent, coming), length - sinks);
  rows.erase(rows.begin() + sinks, rows.end() - recent);
  return rows;
}

SinkCache::SinkCache(const SinkRule& rule, const Heads& heads, float rope_theta, RopePairs pairs)
    : rule_(rule), heads_(heads), rope_theta_(rope_theta), pairs_(pairs) {
  expect_valid(heads);
  if (rule.capacity() == 0) throw MisuseError("attention sinks: a cache of 0 tokens");
  keys_.resize(0, Index{heads.kv_heads} * heads.head_dim);
  values_.resize(0, keys_.cols());
}

void SinkCache::append(const MatrixIn& keys, const MatrixIn& values) {
  expect_shape(keys, keys.rows(), keys_.cols(), "attention sinks: keys");
  expect_shape(values, keys.rows(), keys_.cols(), "attention sinks: values");
  const std::vector<std::uint32_t> kept = rows_to_keep(rule_, length(), static_cast<std::uint32_t>(keys.rows()));
  const auto old = static_cast<Index>(kept.size());
  if (old + keys.rows() > Index{rule_.capacity()}) {
    throw MisuseError(fmt::format("attention sinks: {} tokens at once do not fit behind {} in a cache of {}",
                                  keys.rows(), old, rule_.capacity()));
  }
  Matrix all_keys(old + keys.rows(), keys_.cols()), all_values(old + keys.rows(), keys_.cols());
  std::vector<std::uint64_t> all_tokens;
  for (Index r = 0; r < old; ++r) {
    const std::uint32_t from = kept[static_cast<std::size_t>(r)];
    all_keys.row(r) = keys_.row(from);
    all_values.row(r) = values_.row(from);
    all_tokens.push_back(tokens_[from]);
  }
  all_keys.bottomRows(keys.rows()) = keys;
  all_values.bottomRows(keys.rows()) = values;
  for (Index r = 0; r < keys.rows(); ++r) all_tokens.push_back(next_token_++);
  keys_.swap(all_keys);
  values_.swap(all_values);
  tokens_.swap(all_tokens);
}

Matrix SinkCache::attend(const MatrixIn& queries, Work& work) const {
  if (queries.rows() > Index{length()}) {
    throw MisuseError(fmt::format("attention sinks: {} queries for {} rows", queries.rows(), length()));
  }
  expect_shape(queries, queries.rows(), Index{heads_.query_heads} * heads_.head_dim, "attention sinks: queries");
  const std::uint32_t first = length() - static_cast<std::uint32_t>(queries.rows());
  const RopeAngles by_index = rope_angles(0, length(), heads_.head_dim, rope_theta_);
  Matrix keys = keys_, turned = queries;
  rope(keys, heads_.head_dim, by_index, pairs_);
  rope(turned, heads_.head_dim,
       {by_index.cosines.bottomRows(queries.rows()), by_index.sines.bottomRows(queries.rows())}, pairs_);
  const KvRun run{keys.data(), values_.data(), length()};
  return attention_cached(turned, first, std::span(&run, 1), heads_, work);
}

}  // namespace kvarium::cpu
