#pragma once
// How attention sees the cache of one sequence: rows by layer and position, wherever they lie. A contiguous cache is
// one run of rows, a paged one is one run a block; attention is the same code for both.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvarium::cpu {

/// Consecutive positions of one layer whose rows lie one behind the other. With latent attention `keys` are the latent
/// rows, [tokens][latent_dim + rotary_key_dim], and `values` the same rows.
struct KvRun {
  const float* keys = nullptr;    ///< [tokens][kv_heads][head_dim]
  const float* values = nullptr;  ///< [tokens][kv_heads][head_dim]
  std::uint32_t tokens = 0;
};

/// The row of one position in one layer, to be written.
struct KvRow {
  float* key = nullptr;    ///< [kv_heads][head_dim], or the latent row
  float* value = nullptr;  ///< [kv_heads][head_dim]; none with latent attention
};

/// Invariant: num_tokens() <= capacity(). K and V of positions [0, num_tokens()) are computed, those of
/// [num_tokens(), capacity()) have a place.
class KvSequence {
 public:
  KvSequence(const KvSequence&) = delete;
  KvSequence& operator=(const KvSequence&) = delete;
  virtual ~KvSequence() = default;

  std::uint32_t num_tokens() const { return num_tokens_; }
  virtual std::uint32_t capacity() const = 0;  ///< tokens
  virtual std::uint32_t layers() const = 0;
  virtual std::size_t row_width() const = 0;    ///< key_row_width() of the model
  virtual std::size_t value_width() const = 0;  ///< value_row_width() of the model: the same, or 0

  /// Where K and V of `position` go. MisuseError for a layer or position that has no place.
  virtual KvRow row(std::uint32_t layer, std::uint32_t position) = 0;
  /// Replaces `found` by the rows of positions [0, tokens) of one layer, in order. Allocates only when `found` has too
  /// little room. MisuseError for a layer or position without a place.
  virtual void find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const = 0;
  std::vector<KvRun> runs(std::uint32_t layer, std::uint32_t tokens) const;
  /// The next `count` positions were written in every layer. MisuseError past the capacity.
  void advance(std::uint32_t count);

 protected:
  explicit KvSequence(std::uint32_t num_tokens) : num_tokens_(num_tokens) {}
  /// MisuseError unless the layer exists and positions [0, tokens) have a place.
  void expect_place(std::uint32_t layer, std::uint64_t tokens) const;

 private:
  std::uint32_t num_tokens_;
};

}  // namespace kvarium::cpu
