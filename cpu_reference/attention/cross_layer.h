#pragma once
// Layers that share a cache: some layers compute K and V, the others attend to theirs. The cache shrinks by the number
// of layers to an owner.

#include <cstdint>
#include <vector>

#include "core/model_shape.h"
#include "cpu_reference/kv_store/contiguous.h"

namespace kvarium::cpu {

/// owners[l]: the layer whose K and V layer l attends to; itself when it computes its own.
using LayerOwners = std::vector<std::uint32_t>;

/// Cross-layer attention (CLA: Brandon et al. 2024): `share` neighbouring layers share the K and V of the
/// first of them. share = 1: every layer has its own. MisuseError for 0.
LayerOwners cross_layer_owners(std::uint32_t layers, std::uint32_t share);
/// You only cache once (YOCO: Sun et al. 2024, section 2): the second half of the layers all attend to the K and V that
/// the first of them computes from the output of the first half. The first half keeps its own; in the paper its caches
/// have a fixed size (a sliding window or retention), so that one layer's cache alone grows.
LayerOwners only_once_owners(std::uint32_t layers);

/// A cache in which owners alone have a place.
class CrossLayerKvCache final : public KvSequence {
 public:
  /// MisuseError unless there is an owner for each layer of the shape, no owner comes after a layer of its own, and
  /// each owner owns itself.
  CrossLayerKvCache(const ModelShape& shape, LayerOwners owners, std::uint32_t capacity);

  std::uint32_t capacity() const override { return cache_.capacity(); }
  std::uint32_t layers() const override { return static_cast<std::uint32_t>(owners_.size()); }
  std::size_t row_width() const override { return cache_.row_width(); }
  std::size_t value_width() const override { return cache_.value_width(); }
  /// Does this layer compute K and V?
  bool owns(std::uint32_t layer) const { return owners_.at(layer) == layer; }
  std::uint32_t num_owners() const { return cache_.layers(); }
  std::uint64_t bytes() const { return cache_.bytes(); }

  /// MisuseError for a layer that computes no K and V.
  KvRow row(std::uint32_t layer, std::uint32_t position) override;
  /// The rows of the layer's owner.
  void find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const override;

 private:
  LayerOwners owners_;
  LayerOwners place_;  ///< [layers] of the owner in cache_
  ContiguousKvCache cache_;
};

}  // namespace kvarium::cpu
