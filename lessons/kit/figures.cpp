#include "lessons/kit/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

/// What this step did with each position of the request.
std::string signs(const RequestState& request) {
  const std::uint32_t end = std::max(request.read_count, request.new_first + request.new_count);
  std::string line;
  for (std::uint32_t position = 0; position < end; ++position) {
    const bool fresh = position >= request.new_first && position < request.new_first + request.new_count;
    line += !fresh ? '=' : (request.new_kept ? '#' : 'x');
  }
  return line;
}

/// One sign a slot of the block. Shared blocks show their first owner.
std::string slots_of_block(const World& world, BlockId block) {
  for (const auto& request : world.requests) {
    for (std::size_t i = 0; i < request->table.size(); ++i) {
      if (request->table[i] != block) continue;
      const std::uint32_t filled = filled_slots(world, *request, i);
      return std::string(filled, letter(request->id)[0]) + std::string(world.block_size - filled, '_');
    }
  }
  return std::string(world.block_size, '.');
}

/// Without blanks at the end of each line.
std::string trimmed(const std::string& figure) {
  std::string lines;
  for (const char c : figure + '\n') {
    if (c == '\n') lines.erase(lines.find_last_not_of(' ') + 1);
    lines += c;
  }
  lines.pop_back();
  return lines;
}

}  // namespace

std::string step_figure(const World& world) {
  std::string figure = tr_format("step {}\n", world.step);
  for (const auto& request : world.requests) {
    figure += tr_format("{}  {}  computed {}, read {}\n", letter(request->id), signs(*request), request->new_count,
                        request->read_count);
  }
  return figure + std::string(tr("(x computed, then thrown away; # computed and kept; = kept from before)"));
}

std::string history_figure(const std::vector<World>& after_steps) {
  if (after_steps.empty()) return {};
  const World& last = after_steps.back();
  std::size_t width = 0;
  for (const auto& request : last.requests) width = std::max(width, request->tokens.size() + 4);
  std::string figure = fmt::format("{:<6}", tr("step"));
  for (const auto& request : last.requests) figure += fmt::format("{:<{}}", letter(request->id), width);
  for (const World& world : after_steps) {
    figure += fmt::format("\n{:>4}  ", world.step);
    for (const auto& request : world.requests) figure += fmt::format("{:<{}}", signs(*request), width);
  }
  figure += fmt::format("\n{:<6}", tr("sum"));
  for (const auto& request : last.requests) figure += fmt::format("{:<{}}", request->work.kv_projections, width);
  return trimmed(figure);
}

std::string tokens_figure(const World& world, const RequestState& request) {
  std::string prompt;
  std::string answer;
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    (i < request.prompt_tokens ? prompt : answer) += "[" + world.text_of(request.tokens[i]) + "]";
  }
  return fmt::format("{}  {}{}", letter(request.id), prompt, answer.empty() ? "" : " → " + answer);
}

std::string pool_figure(const World& world) {
  const std::size_t a_row = std::max<std::size_t>(1, 64 / (world.block_size + std::size_t{8}));
  std::string figure;
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    const auto block = BlockId{static_cast<std::uint32_t>(i)};
    figure += fmt::format("{:>3} [{}]  ", i, slots_of_block(world, block));
    if (i % a_row == a_row - 1 || i + 1 == world.blocks.size()) figure += '\n';
  }
  figure += std::string(tr("next to be handed out:"));
  for (const BlockId block : world.free_blocks.order()) figure += " " + std::to_string(value(block));
  return trimmed(figure);
}

std::string table_figure(const World& world, const RequestState& request) {
  std::string figure = tr_format("table of {}: {} tokens in {} blocks of {}\n", letter(request.id),
                                 request.computed_tokens, request.table.size(), world.block_size);
  for (std::size_t i = 0; i < request.table.size(); ++i) {
    const std::size_t first = i * world.block_size;
    figure += tr_format("table[{}] = block {:<3} positions {:>2} to {:>2}, {} of {} slots filled\n", i,
                        value(request.table[i]), first, first + world.block_size - 1, filled_slots(world, request, i),
                        world.block_size);
  }
  return figure;
}

Slot slot_of(const World& world, const RequestState& request, std::uint32_t position) {
  const std::size_t logical = world.block_size == 0 ? request.table.size() : position / world.block_size;
  if (logical >= request.table.size()) {
    throw MisuseError("the table of " + letter(request.id) + " does not reach position " + std::to_string(position));
  }
  return Slot{std::uint64_t{value(request.table[logical])} * world.block_size + position % world.block_size};
}

}  // namespace kvarium
