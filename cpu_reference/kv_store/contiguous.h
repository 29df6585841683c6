#pragma once
// The simplest cache: one sequence, all of its longest possible length reserved at once.

#include "core/kv_layout.h"
#include "core/model_shape.h"
#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/kv_store/kv_sequence.h"

namespace kvarium::cpu {

/// [layer][K or V][position][kv_head][dim]: KvLayout with one block of `capacity` tokens for each layer's K and V. With
/// latent attention there is no V: [layer][position][dim].
class ContiguousKvCache final : public KvSequence {
 public:
  /// Empty, with room for `capacity` tokens. InputError when it does not fit in memory.
  ContiguousKvCache(const ModelShape& shape, std::uint32_t capacity);

  std::uint32_t capacity() const override { return layout_.block_size; }
  std::uint32_t layers() const override { return layers_; }
  std::size_t row_width() const override { return layout_.token_stride(); }
  std::size_t value_width() const override { return has_values_ ? row_width() : 0; }
  KvRow row(std::uint32_t layer, std::uint32_t position) override;
  void find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const override;
  std::uint64_t bytes() const { return memory_.size() * sizeof(float); }

 private:
  std::size_t keys_at(std::uint32_t layer, std::uint32_t position) const;
  std::size_t values_at(std::uint32_t layer, std::uint32_t position) const;  ///< with latent rows those of keys_at()

  KvLayout layout_;
  bool has_values_;
  std::uint32_t layers_;
  AlignedBuffer memory_;
};

}  // namespace kvarium::cpu
