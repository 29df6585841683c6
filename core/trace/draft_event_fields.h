#pragma once
// The names of the events of speculative decoding and of their fields: a part of event_fields.h, which is what others
// include.

#include <string_view>

#include "core/trace/draft_events.h"
#include "core/trace/fields.h"

namespace kvarium {

template <>
struct Fields<SpeculationDescribed> {
  static constexpr std::string_view kName = "SpeculationDescribed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("proposer", e.proposer);
    visit("most", e.most);
  }
};
template <>
struct Fields<DraftProposed> {
  static constexpr std::string_view kName = "DraftProposed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("position", e.position);
    visit("tokens", e.tokens);
    visit("q", e.q);
    visit("work", e.work);
    visit("parents", e.parents);
  }
};
template <>
struct Fields<DraftKvComputed> {
  static constexpr std::string_view kName = "DraftKvComputed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("first", e.first);
    visit("count", e.count);
  }
};
template <>
struct Fields<DraftKvRolledBack> {
  static constexpr std::string_view kName = "DraftKvRolledBack";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("kept_tokens", e.kept_tokens);
  }
};
template <>
struct Fields<DraftVerified> {
  static constexpr std::string_view kName = "DraftVerified";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("position", e.position);
    visit("token", e.token);
    visit("p", e.p);
    visit("u", e.u);
    visit("accepted", e.accepted);
  }
};
template <>
struct Fields<TokenRecovered> {
  static constexpr std::string_view kName = "TokenRecovered";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("position", e.position);
    visit("token", e.token);
    visit("probability", e.probability);
  }
};
template <>
struct Fields<BonusSampled> {
  static constexpr std::string_view kName = "BonusSampled";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("position", e.position);
    visit("token", e.token);
    visit("probability", e.probability);
  }
};
template <>
struct Fields<DraftPathMoved> {
  static constexpr std::string_view kName = "DraftPathMoved";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("path", e.path);
  }
};

}  // namespace kvarium
