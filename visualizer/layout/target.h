#pragma once
// The thing that a person, a lesson or a command points at, and everything that is the same thing elsewhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace/world.h"

namespace kvarium::ui {

/// At most one of these is meant: a request; a position of a request; a logical block of a request; a physical block;
/// a slot of one; a node of the radix tree. Its name: "request:B", "token:B[5]", "table:A[1]", "block:3", "slot:29",
/// "node:4".
struct Target {
  enum class Kind : std::uint8_t { nothing, request, token, table, block, slot, node };
  Kind kind = Kind::nothing;
  std::uint32_t request = 0;
  std::uint64_t number = 0;  ///< position, logical block, block, slot or node, as the kind says

  bool operator==(const Target&) const = default;
  explicit operator bool() const { return kind != Kind::nothing; }

  static Target of_request(RequestId id) { return {Kind::request, value(id), 0}; }
  static Target token(RequestId id, std::uint32_t position) { return {Kind::token, value(id), position}; }
  static Target table(RequestId id, std::uint32_t logical) { return {Kind::table, value(id), logical}; }
  static Target block(std::uint32_t id) { return {Kind::block, 0, id}; }
  static Target slot(std::uint64_t id) { return {Kind::slot, 0, id}; }
  static Target node(NodeId id) { return {Kind::node, 0, value(id)}; }
};

std::string name_of(const Target& target);
/// The inverse of name_of; nothing for a name that means none of these.
std::optional<Target> parse_target(std::string_view name);

/// What a person types to go somewhere: "b12" a block, "n4" a node, "t13" a position of `request`, "rA" a request; case
/// does not matter. "s37" is a step: then `step` is set. Nothing for anything else.
struct Place {
  Target target;
  std::optional<std::uint64_t> step;
};
std::optional<Place> parse_place(std::string_view text, RequestId request);

/// A target followed through the block tables, as far as the World knows it.
struct Resolved {
  std::optional<RequestId> request;
  std::optional<std::uint32_t> position;  ///< of the request
  std::optional<std::uint32_t> logical;   ///< index in its table
  std::optional<std::uint32_t> block;     ///< physical
  std::optional<std::uint32_t> offset;    ///< in the block
  std::optional<NodeId> node;             ///< of the radix tree: its blocks are meant
};
Resolved resolve(const World& world, const Target& target);

/// What the panels share: what the pointer is over now, and what was clicked.
struct Selection {
  Target hovered;   ///< set anew in each frame
  Target selected;  ///< stays

  /// The thing to light up: what is hovered, else what is selected.
  Target lit() const { return hovered ? hovered : selected; }
};

}  // namespace kvarium::ui
