#pragma once
// Events as sentences, states as text. The text twin says all that the pictures say.

#include <cstddef>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "core/trace/world.h"

namespace kvarium {

/// A plain sentence: "Request A takes block 7 as its logical block 0." `before` is the World before the event.
std::string describe(const Event& event, const World& before);
/// The sentences of events [first, last) of a trace. MisuseError when they are not in it.
std::vector<std::string> describe(const Trace& trace, std::size_t first, std::size_t last);

/// Name of a status: "waiting", "running", ...
std::string show(RequestStatus status);

// One-line notation, for tests, logs and the text twin.

/// "free 1 2 3 | used 0x2": free blocks in hand-out order, then used blocks in id order with their ref counts; the same
/// text as BlockPool::show().
std::string show_pool(const World& world);
/// "[7,3,12] 17 tokens": the blocks in logical order and the tokens whose K and V are in them. The same text as
/// BlockTable::show() whenever every slot that was given is computed, as it is at the end of each step.
std::string show_table(const World& world, RequestId request);

/// "cached 0 1 2=1": blocks that can be found by their hash; block 2 has the same hash as block 1, which is the one
/// that is found. The same text as HashCache::show().
std::string show_cached(const World& world);
/// "[1,2]x1{[3]x1, [4,5]} | evictable 2, protected 3": the same text as RadixCache::show(). Long trees take long lines.
std::string show_radix(const World& world);
/// [node ids]: the children of each node of the radix tree, sorted by scope and tokens; orphans are nobody's.
std::vector<std::vector<NodeId>> radix_children(const World& world);

/// All of the state in lines of text: model, pool, requests with their tables, work, invariants. Long lists are cut and
/// say how much is left out.
std::string text_twin(const World& world);
/// One request: its tokens, its table, and for its newest cached token the arithmetic from position to slot:
/// "position 13: 13 / 8 = 1 -> table[1] = 3 -> 3 * 8 + 13 % 8 = 29".
std::string text_twin(const World& world, RequestId id);
/// The arithmetic of one position; a sentence that says why not, where the position has no slot.
std::string show_slot(const World& world, RequestId id, std::uint32_t position);

}  // namespace kvarium
