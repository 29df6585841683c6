#pragma once
// The name of each event and of each of its fields, once, for whoever must go through them: files in both directions.
// Fields<E>::each(e, visit) calls visit("name", e.field) for every field in the order of a file.

#include <array>
#include <string_view>

#include "core/trace/draft_event_fields.h"
#include "core/trace/event.h"
#include "core/trace/fields.h"
#include "core/trace/prefix_event_fields.h"

namespace kvarium {

template <>
struct EnumNames<Phase> {
  static constexpr std::array<std::string_view, 2> kNames = {"prefill", "decode"};
};
template <>
struct EnumNames<FinishReason> {
  static constexpr std::array<std::string_view, 4> kNames = {"end_of_sequence", "max_tokens", "stop_string",
                                                             "context_full"};
};
template <>
struct EnumNames<KvKind> {
  static constexpr std::array<std::string_view, 2> kNames = {"heads", "latent"};
};

template <>
struct EnumNames<QueuePlace> {
  static constexpr std::array<std::string_view, 3> kNames = {"tail", "head", "behind_last_head"};
};

template <>
struct Fields<ModelShape> {
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("name", e.name);
    visit("layers", e.layers);
    visit("query_heads", e.query_heads);
    visit("kv_heads", e.kv_heads);
    visit("head_dim", e.head_dim);
    visit("hidden", e.hidden);
    visit("vocab", e.vocab);
    visit("context", e.context);
    visit("kv_kind", e.kv_kind);
    visit("latent_dim", e.latent_dim);
    visit("rotary_key_dim", e.rotary_key_dim);
  }
};
template <>
struct Fields<Work> {
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("kv_projections", e.kv_projections);
    visit("score_products", e.score_products);
    visit("bytes_read", e.bytes_read);
    visit("flops", e.flops);
  }
};

template <>
struct Fields<BlockHash> {
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("high", e.high);
    visit("low", e.low);
  }
};

// --- what exists before the first step

template <>
struct Fields<ModelDescribed> {
  static constexpr std::string_view kName = "ModelDescribed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("shape", e.shape);
  }
};
template <>
struct Fields<PoolCreated> {
  static constexpr std::string_view kName = "PoolCreated";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("block_size", e.block_size);
    visit("hand_out_order", e.hand_out_order);
  }
};
template <>
struct Fields<ArenaCreated> {
  static constexpr std::string_view kName = "ArenaCreated";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("num_slots", e.num_slots);
  }
};
template <>
struct Fields<SchedulerDescribed> {
  static constexpr std::string_view kName = "SchedulerDescribed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("name", e.name);
    visit("in_order", e.in_order);
  }
};
template <>
struct Fields<TokenNamed> {
  static constexpr std::string_view kName = "TokenNamed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("token", e.token);
    visit("text", e.text);
  }
};

// --- requests

template <>
struct Fields<RequestArrived> {
  static constexpr std::string_view kName = "RequestArrived";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("prompt", e.prompt);
    visit("max_new_tokens", e.max_new_tokens);
    visit("scope", e.scope);
    visit("priority", e.priority);
  }
};
template <>
struct Fields<RequestForked> {
  static constexpr std::string_view kName = "RequestForked";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("parent", e.parent);
  }
};
template <>
struct Fields<RequestAdmitted> {
  static constexpr std::string_view kName = "RequestAdmitted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
  }
};
template <>
struct Fields<RequestPreempted> {
  static constexpr std::string_view kName = "RequestPreempted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("lost_tokens", e.lost_tokens);
  }
};
template <>
struct Fields<KvSwappedOut> {
  static constexpr std::string_view kName = "KvSwappedOut";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("tokens", e.tokens);
    visit("bytes", e.bytes);
  }
};
template <>
struct Fields<KvSwappedIn> {
  static constexpr std::string_view kName = "KvSwappedIn";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("tokens", e.tokens);
    visit("bytes", e.bytes);
  }
};
template <>
struct Fields<RequestFinished> {
  static constexpr std::string_view kName = "RequestFinished";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("reason", e.reason);
  }
};
template <>
struct Fields<RequestAborted> {
  static constexpr std::string_view kName = "RequestAborted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
  }
};

// --- blocks

template <>
struct Fields<BlockAllocated> {
  static constexpr std::string_view kName = "BlockAllocated";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("block", e.block);
  }
};
template <>
struct Fields<BlockShared> {
  static constexpr std::string_view kName = "BlockShared";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("block", e.block);
    visit("ref_count", e.ref_count);
  }
};
template <>
struct Fields<BlockReused> {
  static constexpr std::string_view kName = "BlockReused";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("block", e.block);
  }
};
template <>
struct Fields<BlockCopied> {
  static constexpr std::string_view kName = "BlockCopied";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("logical", e.logical);
    visit("from", e.from);
    visit("to", e.to);
    visit("tokens", e.tokens);
  }
};
template <>
struct Fields<BlockReplaced> {
  static constexpr std::string_view kName = "BlockReplaced";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("logical", e.logical);
    visit("from", e.from);
    visit("to", e.to);
  }
};
template <>
struct Fields<BlockReleased> {
  static constexpr std::string_view kName = "BlockReleased";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("block", e.block);
    visit("ref_count", e.ref_count);
    visit("place", e.place);
  }
};
template <>
struct Fields<RegionReserved> {
  static constexpr std::string_view kName = "RegionReserved";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("first_slot", e.first_slot);
    visit("num_slots", e.num_slots);
  }
};
template <>
struct Fields<RegionReleased> {
  static constexpr std::string_view kName = "RegionReleased";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
  }
};

// --- computing

template <>
struct Fields<StepStarted> {
  static constexpr std::string_view kName = "StepStarted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("step", e.step);
  }
};
template <>
struct Fields<KvComputed> {
  static constexpr std::string_view kName = "KvComputed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("first", e.first);
    visit("count", e.count);
    visit("phase", e.phase);
    visit("kept", e.kept);
  }
};
template <>
struct Fields<KvRead> {
  static constexpr std::string_view kName = "KvRead";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("count", e.count);
  }
};
template <>
struct Fields<TokenSampled> {
  static constexpr std::string_view kName = "TokenSampled";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("position", e.position);
    visit("token", e.token);
  }
};
template <>
struct Fields<RolledBack> {
  static constexpr std::string_view kName = "RolledBack";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("kept_tokens", e.kept_tokens);
  }
};
template <>
struct Fields<WorkCounted> {
  static constexpr std::string_view kName = "WorkCounted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("request", e.request);
    visit("work", e.work);
  }
};
template <>
struct Fields<StepTimed> {
  static constexpr std::string_view kName = "StepTimed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("nanoseconds", e.nanoseconds);
    visit("simulated", e.simulated);
  }
};

template <>
struct Fields<TimePassed> {
  static constexpr std::string_view kName = "TimePassed";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("nanoseconds", e.nanoseconds);
    visit("simulated", e.simulated);
  }
};

// --- a lesson's words

template <>
struct Fields<LessonStarted> {
  static constexpr std::string_view kName = "LessonStarted";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("title", e.title);
  }
};
template <>
struct Fields<Said> {
  static constexpr std::string_view kName = "Said";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("text", e.text);
    visit("points", e.points);
  }
};
template <>
struct Fields<Asked> {
  static constexpr std::string_view kName = "Asked";
  template <typename Self, typename Visit>
  static void each(Self& e, Visit&& visit) {
    visit("question", e.question);
    visit("choices", e.choices);
    visit("answer", e.answer);
  }
};

}  // namespace kvarium
