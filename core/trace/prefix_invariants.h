#pragma once
// What must be true of the prefix caches in a World. A part of violations(), which is what others call.

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/invariants.h"
#include "core/words/words.h"

namespace kvarium {

using Sentences = std::vector<std::string>;

template <typename... Args>
void report(Sentences& sentences, std::string_view english, const Args&... args) {
  if (sentences.size() < kMostViolations) sentences.push_back(tr_format(english, args...));
}

void cached_blocks_are_full(const World& world, Sentences& wrong);
void requests_read_their_own_text(const World& world, Sentences& wrong);
void radix_nodes_have_parents(const World& world, Sentences& wrong);
void radix_siblings_differ(const World& world, Sentences& wrong);
void radix_locks_reach_the_root(const World& world, Sentences& wrong);
void radix_blocks_are_full_and_in_one_node(const World& world, Sentences& wrong);

}  // namespace kvarium
