#include "cpu_reference/attention/cross_layer.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace kvarium::cpu {
namespace {

/// The shape of a model that has the owners alone, after a check of them.
ModelShape shape_of_owners(ModelShape shape, const LayerOwners& owners) {
  if (owners.size() != shape.layers) {
    throw MisuseError(fmt::format("cross-layer cache: {} owners for {} layers", owners.size(), shape.layers));
  }
  std::uint32_t count = 0;
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    const std::uint32_t owner = owners[layer];
    if (owner > layer || owners[owner] != owner) {
      throw MisuseError(fmt::format("cross-layer cache: layer {} cannot attend to layer {}", layer, owner));
    }
    count += owner == layer ? 1 : 0;
  }
  shape.layers = count;
  return shape;
}

/// places[l]: how many owners come before the owner of layer l.
LayerOwners places_of(const LayerOwners& owners) {
  LayerOwners places(owners.size());
  std::uint32_t next = 0;
  for (std::uint32_t layer = 0; layer < owners.size(); ++layer) {
    places[layer] = owners[layer] == layer ? next++ : places[owners[layer]];
  }
  return places;
}

}  // namespace

LayerOwners cross_layer_owners(std::uint32_t layers, std::uint32_t share) {
  if (share == 0) throw MisuseError("cross-layer cache: 0 layers to an owner");
  LayerOwners owners(layers);
  for (std::uint32_t layer = 0; layer < layers; ++layer) owners[layer] = layer / share * share;
  return owners;
}

LayerOwners only_once_owners(std::uint32_t layers) {
  LayerOwners owners(layers);
  for (std::uint32_t layer = 0; layer < layers; ++layer) owners[layer] = layer < layers / 2 ? layer : layers / 2;
  return owners;
}

CrossLayerKvCache::CrossLayerKvCache(const ModelShape& shape, LayerOwners owners, std::uint32_t capacity)
    : KvSequence(0),
      owners_(std::move(owners)),
      place_(owners_.size()),
      cache_(shape_of_owners(shape, owners_), capacity) {
  place_ = places_of(owners_);
}

KvRow CrossLayerKvCache::row(std::uint32_t layer, std::uint32_t position) {
  expect_place(layer, std::uint64_t{position} + 1);
  if (!owns(layer)) {
    throw MisuseError(
        fmt::format("cross-layer cache: layer {} attends to layer {} and computes no K and V", layer, owners_[layer]));
  }
  return cache_.row(place_[layer], position);
}

void CrossLayerKvCache::find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const {
  expect_place(layer, tokens);
  cache_.find_runs(place_[layer], tokens, found);
}

}  // namespace kvarium::cpu
