#include "visualizer/layout/target.h"

#include <cctype>
#include <charconv>

namespace kvarium::ui {
namespace {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

/// "B" -> 1, "A1" -> 26: the inverse of letter().
bool read_letter(std::string_view text, std::uint32_t& request) {
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return false;
  std::uint32_t round = 0;
  if (text.size() > 1 && (!read_number(text.substr(1), round) || round > UINT32_MAX / 26 - 1)) return false;
  request = round * 26 + static_cast<std::uint32_t>(text[0] - 'A');
  return true;
}

/// "B[5]"
bool read_indexed(std::string_view text, std::uint32_t& request, std::uint64_t& number) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']') return false;
  return read_letter(text.substr(0, open), request) &&
         read_number(text.substr(open + 1, text.size() - open - 2), number);
}

/// The first request whose table holds the block, and where.
void find_owner(const World& world, Resolved& found) {
  for (const auto& request : world.requests) {
    for (std::size_t i = 0; i < request->table.size(); ++i) {
      if (index(request->table[i]) != *found.block) continue;
      found.request = request->id;
      found.logical = static_cast<std::uint32_t>(i);
      if (found.offset) found.position = *found.logical * world.block_size + *found.offset;
      return;
    }
  }
}

void find_block(const World& world, const RequestState& request, Resolved& found) {
  if (found.logical && *found.logical < request.table.size())
    found.block = value(request.table[*found.logical]);
  else
    found.offset.reset();
  if (world.block_size == 0) found.logical.reset();
}

}  // namespace

std::string name_of(const Target& target) {
  const std::string number = std::to_string(target.number);
  const std::string who = letter(RequestId{target.request});
  switch (target.kind) {
    case Target::Kind::nothing:
      return "";
    case Target::Kind::request:
      return "request:" + who;
    case Target::Kind::token:
      return "token:" + who + "[" + number + "]";
    case Target::Kind::table:
      return "table:" + who + "[" + number + "]";
    case Target::Kind::block:
      return "block:" + number;
    case Target::Kind::slot:
      return "slot:" + number;
    case Target::Kind::node:
      return "node:" + number;
  }
  return "";
}

std::optional<Target> parse_target(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view kind = name.substr(0, colon), rest = name.substr(colon + 1);
  Target target;
  if (kind == "request" && read_letter(rest, target.request)) target.kind = Target::Kind::request;
  if (kind == "token" && read_indexed(rest, target.request, target.number)) target.kind = Target::Kind::token;
  if (kind == "table" && read_indexed(rest, target.request, target.number)) target.kind = Target::Kind::table;
  if (kind == "block" && read_number(rest, target.number)) target.kind = Target::Kind::block;
  if (kind == "slot" && read_number(rest, target.number)) target.kind = Target::Kind::slot;
  if (kind == "node" && read_number(rest, target.number)) target.kind = Target::Kind::node;
  if (!target) return std::nullopt;
  return target;
}

std::optional<Place> parse_place(std::string_view text, RequestId request) {
  if (text.size() < 2) return std::nullopt;
  const char kind = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  std::string rest(text.substr(1));
  std::uint64_t number = 0;
  if (kind == 'r') {
    for (char& c : rest) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::uint32_t who = 0;
    if (!read_letter(rest, who)) return std::nullopt;
    return Place{Target::of_request(RequestId{who}), std::nullopt};
  }
  if (!read_number(std::string_view(rest), number)) return std::nullopt;
  if (kind == 's') return Place{{}, number};
  if (kind == 'b' && number <= UINT32_MAX)
    return Place{Target::block(static_cast<std::uint32_t>(number)), std::nullopt};
  if (kind == 'n' && number <= UINT32_MAX)
    return Place{Target::node(NodeId{static_cast<std::uint32_t>(number)}), std::nullopt};
  if (kind == 't' && number <= UINT32_MAX)
    return Place{Target::token(request, static_cast<std::uint32_t>(number)), std::nullopt};
  return std::nullopt;
}

Resolved resolve(const World& world, const Target& target) {
  Resolved found;
  const bool of_request =
      target.kind == Target::Kind::request || target.kind == Target::Kind::token || target.kind == Target::Kind::table;
  if (of_request) {
    if (target.request >= world.requests.size()) return found;
    found.request = RequestId{target.request};
    const RequestState& request = *world.requests[target.request];
    if (target.kind == Target::Kind::token && target.number < UINT32_MAX) {
      found.position = static_cast<std::uint32_t>(target.number);
      if (world.block_size > 0) {
        found.logical = *found.position / world.block_size;
        found.offset = *found.position % world.block_size;
      }
    }
    if (target.kind == Target::Kind::table) found.logical = static_cast<std::uint32_t>(target.number);
    find_block(world, request, found);
    return found;
  }
  if (!target || world.block_size == 0) return found;
  if (target.kind == Target::Kind::node) {
    if (target.number > 0 && target.number < world.radix.size() && world.radix[target.number]->exists)
      found.node = NodeId{static_cast<std::uint32_t>(target.number)};
    return found;
  }
  const bool slot = target.kind == Target::Kind::slot;
  const std::uint64_t block = slot ? target.number / world.block_size : target.number;
  if (block >= world.blocks.size()) return found;
  found.block = static_cast<std::uint32_t>(block);
  if (slot) found.offset = static_cast<std::uint32_t>(target.number % world.block_size);
  find_owner(world, found);
  return found;
}

}  // namespace kvarium::ui
