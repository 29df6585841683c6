#pragma once
// The names of the events of both prefix caches and of their fields: a part of event_fields.h, which is what others
// include.

#include <string_view>

#include "core/trace/event.h"
#include "core/trace/fields.h"

namespace kvarium {

// --- the prefix cache

template <>
struct Fields<BlockCached> {
  static constexpr std::string_view kName = "BlockCached";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("block", e.block);
    visit("logical", e.logical);
    visit("hash", e.hash);
  }
};
template <>
struct Fields<BlockEvicted> {
  static constexpr std::string_view kName = "BlockEvicted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("block", e.block);
    visit("hash", e.hash);
  }
};
template <>
struct Fields<BlockExpired> {
  static constexpr std::string_view kName = "BlockExpired";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("block", e.block);
    visit("hash", e.hash);
  }
};
template <>
struct Fields<PrefixMatched> {
  static constexpr std::string_view kName = "PrefixMatched";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("num_tokens", e.num_tokens);
    visit("hit_tokens", e.hit_tokens);
  }
};
template <>
struct Fields<PrefixCacheReset> {
  static constexpr std::string_view kName = "PrefixCacheReset";
  template <typename Self, typename Visit>
  static void each(Self&, Visit&&) {}
};

// --- the radix tree

template <>
struct Fields<RadixTreeCreated> {
  static constexpr std::string_view kName = "RadixTreeCreated";
  template <typename Self, typename Visit>
  static void each(Self&, Visit&&) {}
};
template <>
struct Fields<RadixNodeInserted> {
  static constexpr std::string_view kName = "RadixNodeInserted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("node", e.node);
    visit("parent", e.parent);
    visit("tokens", e.tokens);
    visit("blocks", e.blocks);
    visit("scope", e.scope);
  }
};
template <>
struct Fields<RadixNodeSplit> {
  static constexpr std::string_view kName = "RadixNodeSplit";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("upper", e.upper);
    visit("lower", e.lower);
    visit("tokens", e.tokens);
  }
};
template <>
struct Fields<RadixNodeRemoved> {
  static constexpr std::string_view kName = "RadixNodeRemoved";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("node", e.node);
  }
};
template <>
struct Fields<RadixPathUsed> {
  static constexpr std::string_view kName = "RadixPathUsed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("node", e.node);
  }
};
template <>
struct Fields<RadixPathLocked> {
  static constexpr std::string_view kName = "RadixPathLocked";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("node", e.node);
  }
};
template <>
struct Fields<RadixPathUnlocked> {
  static constexpr std::string_view kName = "RadixPathUnlocked";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("node", e.node);
  }
};

}  // namespace kvarium
