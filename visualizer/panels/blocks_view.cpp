#include "visualizer/panels/blocks_view.h"

#include <algorithm>
#include <cmath>

namespace kvarium::ui {
namespace {

constexpr float kDimmed = 0.22F;
constexpr std::size_t kFewRequests = 8;
constexpr std::size_t kFewLinks = 6, kSomeLinks = 14, kMostLinks = 64;

bool owns(const layout::BlockPicture& block, RequestId request) {
  const auto end = block.owners.begin() + block.owner_count;
  return std::find(block.owners.begin(), end, value(request)) != end;
}

const layout::TableRow* row_of(const BlocksView& view, RequestId request) {
  for (const layout::TableRow& row : view.rows.rows) {
    if (row.request == request) return &row;
  }
  return nullptr;
}

/// The part of a row's block that a link leaves from, as far as it is inside the tables' area.
layout::Rect link_start(const BlocksView& view, const layout::TableRow& row, std::uint32_t logical) {
  layout::Rect entry = row.block_rect(logical);
  if (entry.bottom() > view.tables.bottom()) entry.height = std::max(0.0F, view.tables.bottom() - entry.y);
  return entry;
}

void draw_link(BlocksView& view, const layout::TableRow& row, std::uint32_t logical, std::uint32_t block, bool lit,
               float faint) {
  const layout::Rect entry = link_start(view, row, logical), target = view.grid.block_rect(block);
  if (entry.empty() || target.empty()) return;
  const Scene& scene = view.context.scene;
  const auto& before = scene.tables_before;
  const bool is_new = index(row.request) >= before.size() || logical >= before[index(row.request)];
  const layout::Curve whole = layout::link_curve(entry, target);
  const Painter& painter = view.painter;
  const Colour hue = painter.theme().owner(value(row.request)).fill;
  const float opacity = lit ? 1.0F : faint * view.opacity_of(row.request);
  const float grown = is_new ? scene.change : 1.0F;
  view.painter.curve(layout::first_part(whole, grown), with_alpha(hue, opacity), lit ? 3.0F : 1.75F);
  if (grown < 1) return;
  const float size = painter.px(lit ? 5 : 4);
  view.painter.triangle({whole[3].x - size, whole[3].y - size}, {whole[3].x + size, whole[3].y - size},
                        {whole[3].x, whole[3].y + painter.px(1)}, with_alpha(hue, opacity));
}

/// The positions that a request may grow to: what it asked for, as far as the model's context and the pool go.
std::uint32_t longest_of(const World& world, const RequestState& request) {
  std::uint64_t longest = std::uint64_t{request.prompt_tokens} + request.max_new_tokens;
  if (world.model.context > 0) longest = std::min<std::uint64_t>(longest, world.model.context);
  if (world.block_size > 0) longest = std::min(longest, std::uint64_t{world.block_size} * world.blocks.size());
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(longest, UINT32_MAX / 2));
}

}  // namespace

bool BlocksView::is_lit(std::uint32_t block) const {
  if (lit.block) return lit.block == block && !lit.offset;
  return std::binary_search(lit_node_blocks.begin(), lit_node_blocks.end(), BlockId{block});
}

float BlocksView::opacity_of(const layout::BlockPicture& block) const {
  if (isolated && !owns(block, *isolated)) return kDimmed;
  if (only && !has_state(block, world().block_size, *only)) return kDimmed;
  return 1;
}

float BlocksView::opacity_of(RequestId request) const { return isolated && *isolated != request ? kDimmed : 1.0F; }

std::string BlocksView::token_in(const layout::BlockPicture& block, std::uint32_t offset) const {
  // On the way back to before a request arrived, the picture may still show what the world no longer knows.
  if (!block.holds() || block.source >= world().requests.size()) return {};
  const RequestState& request = *world().requests[block.source];
  const std::size_t position = std::size_t{block.source_logical} * world().block_size + offset;
  return position < request.tokens.size() ? layout::visible_token(world().text_of(request.tokens[position])) : "";
}

std::vector<CellState> shown_states(const layout::PoolPicture& picture) {
  std::vector<CellState> states{CellState::free, CellState::reserved, CellState::filled, CellState::fresh,
                                CellState::read};
  for (const CellState state : {CellState::shared, CellState::cached, CellState::pinned, CellState::copying,
                                CellState::evicting, CellState::stale}) {
    if (count_state(picture, state) > 0) states.push_back(state);
  }
  return states;
}

std::string_view meaning_of(CellState state) {
  switch (state) {
    case CellState::free:
      return "Blocks that nobody holds and in which nothing can be found. Click to show only these.";
    case CellState::reserved:
      return "Slots that a request holds and has not filled yet. Click to show only these.";
    case CellState::shared:
      return "Blocks in the tables of several requests: their stripes. Click to show only these.";
    case CellState::cached:
      return "Blocks that no request holds and whose K and V the prefix cache still finds. Click to show only these.";
    case CellState::pinned:
      return "Blocks of the radix tree with a lock: they cannot be evicted. Click to show only these.";
    case CellState::copying:
      return "Blocks that this step copied from or to, because one of their holders wrote. Click to show only these.";
    case CellState::evicting:
      return "Blocks whose cached K and V were forgotten in this step. Click to show only these.";
    case CellState::stale:
      return "Slots whose tokens were taken back: they will be overwritten. Click to show only these.";
    default:
      return "Slots in this state. Click to show only these.";
  }
}

bool has_state(const layout::BlockPicture& block, std::uint32_t block_size, CellState state) {
  switch (state) {
    case CellState::free:
      return !block.holds();
    case CellState::reserved:
      return block.owner_count > 0 && block.written < block_size;
    case CellState::filled:
      return block.owner_count > 0 && block.filled > 0;
    case CellState::fresh:
      return block.new_count > 0;
    case CellState::read:
      return block.read > 0;
    case CellState::shared:
      return block.owner_count > 1;
    case CellState::cached:
      return block.cached;
    case CellState::pinned:
      return block.locked;
    case CellState::copying:
      return block.copied;
    case CellState::evicting:
      return block.evicted;
    case CellState::stale:
      return block.written > block.filled;
    default:
      return false;
  }
}

std::uint64_t count_state(const layout::PoolPicture& picture, CellState state) {
  std::uint64_t count = 0;
  for (const layout::BlockPicture& block : picture.blocks) {
    switch (state) {
      case CellState::reserved:
        count += block.owner_count > 0 ? picture.block_size - block.written : 0;
        break;
      case CellState::filled:
        count += block.owner_count > 0 ? block.filled : 0;
        break;
      case CellState::fresh:
        count += block.new_count;
        break;
      case CellState::read:
        count += block.read;
        break;
      case CellState::stale:
        count += block.written - block.filled;
        break;
      default:
        count += has_state(block, picture.block_size, state) ? 1 : 0;
        break;
    }
  }
  return count;
}

std::vector<layout::RowInput> table_inputs(const World& world) {
  std::vector<layout::RowInput> inputs;
  const bool all = world.requests.size() <= kFewRequests;
  for (const auto& request : world.requests) {
    if (!all && request->ended()) continue;
    const std::uint64_t slots = std::max<std::uint64_t>(request->tokens.size(), held_slots(world, *request));
    inputs.push_back({request->id, static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, UINT32_MAX / 2)),
                      static_cast<std::uint32_t>(request->table.size()),
                      request->ended() ? 0 : longest_of(world, *request)});
  }
  return inputs;
}

void draw_links(BlocksView& view, bool over) {
  std::size_t links = 0;
  for (const layout::TableRow& row : view.rows.rows) links += row.blocks - row.first_block;
  const float faint = links <= kFewLinks ? 0.65F : links <= kSomeLinks ? 0.35F : 0.16F;  // the lit one stands out
  const bool small_cells = view.grid.detail == layout::Detail::cells || view.grid.detail == layout::Detail::aggregated;
  const bool too_many = links > kMostLinks || small_cells;
  for (const layout::TableRow& row : view.rows.rows) {
    const RequestState& request = view.world().request(row.request);
    const bool request_lit = view.lit.request == row.request;
    for (std::uint32_t i = row.first_block; i < request.table.size(); ++i) {
      const std::uint32_t block = value(request.table[i]);
      const bool lit = view.lit.block ? view.lit.block == block : request_lit && !view.lit.position;
      if (over ? lit : !lit && !too_many) draw_link(view, row, i, block, lit, faint);
    }
  }
}

std::vector<layout::Rect> places_of(const BlocksView& view, const Target& target) {
  std::vector<layout::Rect> places;
  const Resolved at = resolve(view.world(), target);
  if (at.request) {
    if (const layout::TableRow* row = row_of(view, *at.request)) {
      if (target.kind == Target::Kind::request)
        places.push_back(row->label);
      else if (at.position && !row->token_rect(*at.position).empty())
        places.push_back(row->token_rect(*at.position));
      else if (at.logical)
        places.push_back(row->block_rect(*at.logical));
    }
  }
  if (at.block) {
    const layout::Rect slot = at.offset ? view.grid.token_rect(*at.block, *at.offset) : layout::Rect{};
    places.push_back(slot.empty() ? view.grid.block_rect(*at.block) : slot);
  }
  if (at.node) {
    for (const BlockId block : view.world().radix[index(*at.node)]->blocks)
      places.push_back(view.grid.block_rect(value(block)));
  }
  places.erase(std::remove_if(places.begin(), places.end(), [](const layout::Rect& rect) { return rect.empty(); }),
               places.end());
  return places;
}

void draw_spotlights(BlocksView& view) {
  for (const Target& target : view.context.scene.pointed) {
    for (const layout::Rect& place : places_of(view, target)) {
      const float margin = view.painter.px(4);
      const layout::Rect frame{place.x - margin, place.y - margin, place.width + 2 * margin, place.height + 2 * margin};
      view.painter.outline(frame, view.painter.theme().accent, 2.5F, 6);
    }
  }
}

}  // namespace kvarium::ui
