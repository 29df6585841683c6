#pragma once
// One small struct for each thing that can happen: past tense, ids and numbers. A Trace is a list of these, and
// everything that is drawn, printed or checked is computed from that list alone.
//
// To add an event: (1) its struct and its place in the variant here, (2) its fields in event_fields.h,
// (3) what it does to the World in world.cpp, (4) its sentence in describe.cpp. The compiler asks for each.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/model_shape.h"
#include "core/trace/draft_events.h"
#include "core/work.h"

namespace kvarium {

/// waiting -> running -> finished; preemption sends a running request back to preempted, which waits like waiting.
enum class RequestStatus : std::uint8_t { waiting, running, preempted, finished, aborted };
enum class Phase : std::uint8_t { prefill, decode };
enum class FinishReason : std::uint8_t { end_of_sequence, max_tokens, stop_string, context_full };
/// Where a block joins the free queue: at its tail, the last to be handed out; at its head, the next to be handed out;
/// or behind the block that joined at the head last.
enum class QueuePlace : std::uint8_t { tail, head, behind_last_head };

// --- what exists before the first step

struct ModelDescribed {
  ModelShape shape;
  bool operator==(const ModelDescribed&) const = default;
};
struct PoolCreated {
  std::uint32_t block_size = 0;         ///< tokens a block
  std::vector<BlockId> hand_out_order;  ///< every block once, the next one to be handed out first
  bool operator==(const PoolCreated&) const = default;
};
/// A contiguous pool: one row of slots in which every request reserves its longest possible length.
struct ArenaCreated {
  std::uint64_t num_slots = 0;  ///< tokens
  bool operator==(const ArenaCreated&) const = default;
};
/// How the engine chooses who is served.
struct SchedulerDescribed {
  std::string name;
  bool in_order = false;  ///< nobody is admitted before all who came earlier
  bool operator==(const SchedulerDescribed&) const = default;
};
/// The text of a token, announced before the token is first used, so that a trace needs no tokenizer.
struct TokenNamed {
  TokenId token{};
  std::string text;  ///< valid UTF-8; bytes that are none are written <0xE2>
  bool operator==(const TokenNamed&) const = default;
};

// --- requests

struct RequestArrived {
  RequestId request{};
  std::vector<TokenId> prompt;
  std::uint32_t max_new_tokens = 0;
  std::string scope{};        ///< tagged(): requests of another tenant or adapter share nothing with this one
  std::int32_t priority = 0;  ///< higher goes first, where the scheduler looks at it
  bool operator==(const RequestArrived&) const = default;
};
/// A new request that runs from now on: it has the parent's tokens and shares all its blocks, also a last one that is
/// not full. Nothing is copied yet.
struct RequestForked {
  RequestId request{};
  RequestId parent{};
  bool operator==(const RequestForked&) const = default;
};
struct RequestAdmitted {
  RequestId request{};
  bool operator==(const RequestAdmitted&) const = default;
};
/// Recompute: its blocks are given back first (BlockReleased), and it waits again, at the head of the queue.
struct RequestPreempted {
  RequestId request{};
  std::uint32_t lost_tokens = 0;  ///< computed tokens whose K and V must be computed again
  bool operator==(const RequestPreempted&) const = default;
};
/// Before a preemption: K and V of the request's first `tokens` tokens were copied to the memory of the host, so that
/// nothing must be computed again.
struct KvSwappedOut {
  RequestId request{};
  std::uint32_t tokens = 0;
  std::uint64_t bytes = 0;
  bool operator==(const KvSwappedOut&) const = default;
};
/// They are back, in the blocks that the request took just before.
struct KvSwappedIn {
  RequestId request{};
  std::uint32_t tokens = 0;
  std::uint64_t bytes = 0;
  bool operator==(const KvSwappedIn&) const = default;
};
struct RequestFinished {
  RequestId request{};
  FinishReason reason{};
  bool operator==(const RequestFinished&) const = default;
};
struct RequestAborted {
  RequestId request{};
  bool operator==(const RequestAborted&) const = default;
};

// --- blocks

/// A block left the head of the free queue and became the last entry of the request's table.
struct BlockAllocated {
  RequestId request{};
  BlockId block{};
  bool operator==(const BlockAllocated&) const = default;
};
/// A block that others hold became the last entry of the request's table.
struct BlockShared {
  RequestId request{};
  BlockId block{};
  std::uint32_t ref_count = 0;  ///< after sharing
  bool operator==(const BlockShared&) const = default;
};
/// A free block whose K and V the request needs left the free queue, from wherever it stood, and became the last entry
/// of the request's table: a hit in the prefix cache. Nothing in it is overwritten.
struct BlockReused {
  RequestId request{};
  BlockId block{};
  bool operator==(const BlockReused&) const = default;
};
/// Copy-on-write: the request was about to write into a block that others hold too. Block `to` left the head of the
/// free queue, got a copy of the first `tokens` slots of `from`, and took its place in the request's table.
struct BlockCopied {
  RequestId request{};
  std::uint32_t logical = 0;  ///< the place in the request's table
  BlockId from{};
  BlockId to{};
  std::uint32_t tokens = 0;
  bool operator==(const BlockCopied&) const = default;
};
/// Block `to`, which holds the same K and V, took the place of `from` in the request's table: another request was
/// faster and its blocks are in the radix tree. At ref count 0 `from` joined the tail of the free queue.
struct BlockReplaced {
  RequestId request{};
  std::uint32_t logical = 0;
  BlockId from{};
  BlockId to{};
  bool operator==(const BlockReplaced&) const = default;
};
/// The last entry left the request's table, or one reference of the block was dropped that no entry stood for, which is
/// a fault. At ref_count 0 the block joined the free queue.
struct BlockReleased {
  RequestId request{};
  BlockId block{};
  std::uint32_t ref_count = 0;          ///< after the release
  QueuePlace place = QueuePlace::tail;  ///< at ref_count 0
  bool operator==(const BlockReleased&) const = default;
};
struct RegionReserved {
  RequestId request{};
  std::uint64_t first_slot = 0;
  std::uint64_t num_slots = 0;  ///< the request's longest possible length
  bool operator==(const RegionReserved&) const = default;
};
struct RegionReleased {
  RequestId request{};
  bool operator==(const RegionReleased&) const = default;
};

// --- the prefix cache: blocks that are found by the hash of what they hold

/// A full block of the request can be found from now on, whoever holds it, and also while it is free.
struct BlockCached {
  RequestId request{};
  BlockId block{};
  std::uint32_t logical = 0;  ///< its place in the request's table
  BlockHash hash;
  bool operator==(const BlockCached&) const = default;
};
/// The block is about to be handed out to the request and overwritten: nobody finds it any more. It is at the head of
/// the free queue now, wherever it stood.
struct BlockEvicted {
  RequestId request{};
  BlockId block{};
  BlockHash hash;
  bool operator==(const BlockEvicted&) const = default;
};
/// Nobody used the free block for as long as cached blocks live: nobody finds it any more.
struct BlockExpired {
  BlockId block{};
  BlockHash hash;
  bool operator==(const BlockExpired&) const = default;
};
/// The request starts, or starts again after a preemption, with `hit_tokens` of its `num_tokens` tokens computed
/// already: they are in the blocks that it reused or shared just before.
struct PrefixMatched {
  RequestId request{};
  std::uint32_t num_tokens = 0;
  std::uint32_t hit_tokens = 0;
  bool operator==(const PrefixMatched&) const = default;
};
/// No block can be found any more.
struct PrefixCacheReset {
  bool operator==(const PrefixCacheReset&) const = default;
};

// --- the prefix cache: a radix tree. Node 0 is the root. A block of the tree counts as held once by the tree.

/// An empty tree: only its root.
struct RadixTreeCreated {
  bool operator==(const RadixTreeCreated&) const = default;
};
/// A leaf was added: `tokens` behind those of `parent`, with the blocks that hold their K and V.
struct RadixNodeInserted {
  NodeId node{};
  NodeId parent{};
  std::vector<TokenId> tokens;
  std::vector<BlockId> blocks;
  std::string scope{};  ///< of a child of the root
  bool operator==(const RadixNodeInserted&) const = default;
};
/// `lower` was cut in two: its first `tokens` tokens and their blocks are now in `upper`, a new node above it.
struct RadixNodeSplit {
  NodeId upper{};
  NodeId lower{};
  std::uint32_t tokens = 0;
  bool operator==(const RadixNodeSplit&) const = default;
};
/// The node was evicted. Those of its blocks that nobody else holds joined the tail of the free queue, the first one
/// first.
struct RadixNodeRemoved {
  NodeId node{};
  bool operator==(const RadixNodeRemoved&) const = default;
};
/// The node and all above it were used just now.
struct RadixPathUsed {
  NodeId node{};
  bool operator==(const RadixPathUsed&) const = default;
};
/// One lock more on the node and on all above it: they must not be evicted.
struct RadixPathLocked {
  NodeId node{};
  bool operator==(const RadixPathLocked&) const = default;
};
struct RadixPathUnlocked {
  NodeId node{};
  bool operator==(const RadixPathUnlocked&) const = default;
};

// --- computing

struct StepStarted {
  std::uint64_t step = 0;  ///< 1, 2, 3, ... without a gap
  bool operator==(const StepStarted&) const = default;
};
/// K and V of positions [first, first + count) were computed, count >= 1; kept in the cache, or used once and thrown
/// away.
struct KvComputed {
  RequestId request{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  Phase phase{};
  bool kept = true;
  bool operator==(const KvComputed&) const = default;
};
/// Attention of the newest query read the K and V of positions [0, count).
struct KvRead {
  RequestId request{};
  std::uint32_t count = 0;
  bool operator==(const KvRead&) const = default;
};
struct TokenSampled {
  RequestId request{};
  std::uint32_t position = 0;  ///< of the new token, counted from the start of the prompt
  TokenId token{};
  bool operator==(const TokenSampled&) const = default;
};
/// The last tokens were taken back: only the length moved, unless BlockReleased events follow.
struct RolledBack {
  RequestId request{};
  std::uint32_t kept_tokens = 0;
  bool operator==(const RolledBack&) const = default;
};
struct WorkCounted {
  RequestId request{};
  Work work;
  bool operator==(const WorkCounted&) const = default;
};
struct StepTimed {
  std::uint64_t nanoseconds = 0;
  bool simulated = false;  ///< from a cost model, not from a clock
  bool operator==(const StepTimed&) const = default;
};
/// Nothing was to be done for so long.
struct TimePassed {
  std::uint64_t nanoseconds = 0;
  bool simulated = false;
  bool operator==(const TimePassed&) const = default;
};

// --- a lesson's words

struct LessonStarted {
  std::string title;
  bool operator==(const LessonStarted&) const = default;
};
struct Said {
  std::string text;
  std::vector<std::string> points;  ///< what the words point at: "block:3", "table:A[1]", "request:B", "slot:29"
  bool operator==(const Said&) const = default;
};
struct Asked {
  std::string question;
  std::vector<std::string> choices;  ///< empty: a number or a word is asked for
  std::string answer;                ///< computed by the engine
  bool operator==(const Asked&) const = default;
};

using Event = std::variant<
    ModelDescribed, PoolCreated, ArenaCreated, SchedulerDescribed, TokenNamed, RequestArrived, RequestForked,
    RequestAdmitted, RequestPreempted, KvSwappedOut, KvSwappedIn, RequestFinished, RequestAborted, BlockAllocated,
    BlockShared, BlockReused, BlockCopied, BlockReplaced, BlockReleased, RegionReserved, RegionReleased, BlockCached,
    BlockEvicted, BlockExpired, PrefixMatched, PrefixCacheReset, RadixTreeCreated, RadixNodeInserted, RadixNodeSplit,
    RadixNodeRemoved, RadixPathUsed, RadixPathLocked, RadixPathUnlocked, SpeculationDescribed, DraftProposed,
    DraftKvComputed, DraftKvRolledBack, DraftVerified, TokenRecovered, BonusSampled, DraftPathMoved, StepStarted,
    KvComputed, KvRead, TokenSampled, RolledBack, WorkCounted, StepTimed, TimePassed, LessonStarted, Said, Asked>;

}  // namespace kvarium
