#include "cuda/simt/emulator/access_log.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cuda/simt/emulator/block.h"

namespace kvarium::cuda::emulator {
namespace {

std::size_t num_distinct(std::vector<std::size_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return static_cast<std::size_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

/// Pieces of `size` bytes that the lanes touch.
std::size_t distinct_pieces(const std::vector<LaneAccess>& lanes, std::size_t size) {
  std::vector<std::size_t> pieces;
  for (const LaneAccess& lane : lanes) {
    for (std::size_t i = lane.offset / size; i <= (lane.offset + lane.bytes - 1) / size; ++i) pieces.push_back(i);
  }
  return num_distinct(pieces);
}

/// Lanes that are answered together.
unsigned lanes_at_once(const Request& request) {
  std::size_t widest = 0;
  for (const LaneAccess& lane : request.lanes) widest = std::max(widest, lane.bytes);
  return widest <= 4 ? kWarpSize : widest <= 8 ? kWarpSize / 2 : kWarpSize / 4;
}

/// The most distinct words of one bank.
std::size_t rounds(const std::vector<LaneAccess>& lanes) {
  std::vector<std::size_t> words[kBanks];
  for (const LaneAccess& lane : lanes) {
    for (std::size_t word = lane.offset / kBankBytes; word <= (lane.offset + lane.bytes - 1) / kBankBytes; ++word) {
      words[word % kBanks].push_back(word);
    }
  }
  std::size_t most = 0;
  for (auto& of_bank : words) most = std::max(most, num_distinct(of_bank));
  return most;
}

std::vector<LaneAccess> group_of(const Request& request, unsigned first, unsigned count) {
  std::vector<LaneAccess> group;
  for (const LaneAccess& lane : request.lanes) {
    if (lane.lane >= first && lane.lane < first + count) group.push_back(lane);
  }
  return group;
}

}  // namespace

std::size_t sectors(const Request& request) { return distinct_pieces(request.lanes, kSectorBytes); }

std::size_t fewest_sectors(const Request& request) {
  return (distinct_pieces(request.lanes, 1) + kSectorBytes - 1) / kSectorBytes;
}

std::size_t wavefronts(const Request& request) {
  std::size_t total = 0;
  const unsigned at_once = lanes_at_once(request);
  for (unsigned first = 0; first < kWarpSize; first += at_once) total += rounds(group_of(request, first, at_once));
  return total;
}

std::size_t fewest_wavefronts(const Request& request) {
  std::size_t total = 0;
  const unsigned at_once = lanes_at_once(request);
  for (unsigned first = 0; first < kWarpSize; first += at_once)
    total += group_of(request, first, at_once).empty() ? 0 : 1;
  return total;
}

std::size_t AccessLog::line_of(const Region& region, Access access, const Site& site) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const LineCount& line = lines_[i];
    if (line.site == site && line.access == access && line.space == region.space && line.region == region.name)
      return i;
  }
  lines_.push_back({site, access, region.space, region.name});
  return lines_.size() - 1;
}

void AccessLog::note(const Block& block, const Region& region, const void* address, std::size_t bytes, Access access,
                     const Site& site) {
  const unsigned thread = block.running();
  noted_.push_back({line_of(region, access, site), block.index().x, thread / kWarpSize, thread % kWarpSize, 0,
                    region.offset_of(address), bytes, noted_.size()});
}

void AccessLog::end_block() {
  std::map<std::tuple<std::size_t, unsigned, unsigned>, unsigned> times;  // by line, warp and lane
  for (Noted& noted : noted_) noted.occurrence = times[{noted.line, noted.warp, noted.lane}]++;
  const auto same_request = [](const Noted& noted) { return std::tie(noted.line, noted.warp, noted.occurrence); };
  std::sort(noted_.begin(), noted_.end(), [&](const Noted& a, const Noted& b) {
    return std::tuple_cat(same_request(a), std::tie(a.lane)) < std::tuple_cat(same_request(b), std::tie(b.lane));
  });
  for (std::size_t first = 0; first < noted_.size();) {
    std::size_t end = first + 1;
    while (end < noted_.size() && same_request(noted_[end]) == same_request(noted_[first])) ++end;
    count(&noted_[first], noted_.data() + end);
    first = end;
  }
  noted_.clear();
}

void AccessLog::count(const Noted* first, const Noted* end) {
  LineCount& line = lines_[first->line];
  Request request{line.site, line.access, line.space, line.region, first->block, first->warp, first->occurrence, {}, 0};
  for (const Noted* noted = first; noted != end; ++noted) {
    request.lanes.push_back({noted->lane, noted->offset, noted->bytes});
    line.bytes += noted->bytes;
    request.last_access = std::max(request.last_access, noted->number);
  }
  const bool is_global = line.space == Space::global;
  ++line.requests;
  line.answers += is_global ? sectors(request) : wavefronts(request);
  line.fewest_answers += is_global ? fewest_sectors(request) : fewest_wavefronts(request);
  if (keeps_requests_) requests_.push_back(std::move(request));
}

}  // namespace kvarium::cuda::emulator
