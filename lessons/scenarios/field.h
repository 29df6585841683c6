#pragma once
// The fields that scenarios are made of, and where in ScenarioParams each of them is kept.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lessons/scenarios/scenario.h"

namespace kvarium {

using TextMember = std::string ScenarioParams::*;
using NumberMember = std::uint32_t ScenarioParams::*;
using LongNumberMember = std::uint64_t ScenarioParams::*;
using RealMember = float ScenarioParams::*;
using FieldMember = std::variant<TextMember, NumberMember, LongNumberMember, RealMember>;

/// The member that the field of this id edits. MisuseError when there is none.
FieldMember member_of(std::string_view id);

/// What "prefix_cache", "queue_order", "eviction", "scheduler", "preemption", "sharing", "proposer", "prompt_kind" and
/// "heads" can be. MisuseError for another id.
const std::vector<FieldChoice>& choices_of(std::string_view id);
/// The same without what they are called: what a command's flag takes.
std::vector<std::string> values_of(std::string_view id);

ScenarioField number_field(std::string id, std::string name, std::string help, std::uint32_t low, std::uint32_t high);
ScenarioField choice_field(std::string id, std::string name, std::string help, std::vector<FieldChoice> choices);

/// Scenario::longest_request where every request has prompt_tokens and new_tokens.
std::uint64_t prompt_and_answer(const ScenarioParams& params);

// The fields that several scenarios have.
ScenarioField block_size_field();
ScenarioField num_blocks_field();
ScenarioField seed_field();
ScenarioField temperature_field();
ScenarioField draft_length_field();
ScenarioField max_running_field();
ScenarioField token_budget_field();
ScenarioField prefix_cache_field();
ScenarioField queue_order_field();
ScenarioField eviction_field();
ScenarioField scheduler_field();
ScenarioField preemption_field();

}  // namespace kvarium
