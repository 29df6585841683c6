#pragma once
// How well a kernel uses the memory of a device. The lanes of a warp that execute a line for the k-th time make one
// request. Global memory answers in sectors of 32 bytes; shared memory has 32 banks of 4 bytes, and answers lanes that
// want different words of one bank one after another: each round is a wavefront. (Lanes that take a loop a different
// number of times are grouped by their own count: an approximation.)

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/simt/emulator/access.h"
#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

class Block;

inline constexpr std::size_t kSectorBytes = 32, kBankBytes = 4, kBanks = 32;

/// What one lane asks for, as bytes from the beginning of its buffer or array. Buffers begin on a multiple of 256.
struct LaneAccess {
  unsigned lane = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct Request {
  Site site;
  Access access = Access::load;
  Space space = Space::global;
  std::string region;
  unsigned block = 0;  ///< x of its index
  unsigned warp = 0;
  unsigned occurrence = 0;  ///< 0: the first time that the lanes come by this line in this block
  std::vector<LaneAccess> lanes;
  /// When the last of its lanes asked: its number among all accesses of the block.
  std::size_t last_access = 0;
};

/// Distinct sectors of 32 bytes, and the fewest that could hold as many distinct bytes.
std::size_t sectors(const Request& request);
std::size_t fewest_sectors(const Request& request);

/// Rounds in which the banks answer, and the fewest: accesses of 8 bytes go half a warp at a time, of 16 a quarter.
std::size_t wavefronts(const Request& request);
std::size_t fewest_wavefronts(const Request& request);

/// All requests of one line to one buffer.
struct LineCount {
  Site site;
  Access access = Access::load;
  Space space = Space::global;
  std::string region;
  std::size_t requests = 0;
  std::size_t bytes = 0;    ///< that lanes asked for
  std::size_t answers = 0;  ///< sectors in global memory, wavefronts in shared memory
  std::size_t fewest_answers = 0;

  double excess() const { return static_cast<double>(answers) / static_cast<double>(fewest_answers); }
};

class AccessLog {
 public:
  /// Keeps every request, to be shown; otherwise only the counts.
  explicit AccessLog(bool keeps_requests = false) : keeps_requests_(keeps_requests) {}

  void note(const Block& block, const Region& region, const void* address, std::size_t bytes, Access access,
            const Site& site);
  /// A block is done: what was noted becomes requests. (In the middle of a block, end it in a copy of the log.)
  void end_block();

  /// In the order in which the lines were first met.
  const std::vector<LineCount>& lines() const { return lines_; }
  const std::vector<Request>& requests() const { return requests_; }

 private:
  struct Noted {
    std::size_t line;  ///< in lines_
    unsigned block, warp, lane;
    unsigned occurrence;
    std::size_t offset, bytes;
    std::size_t number;  ///< among all accesses of the block
  };
  std::size_t line_of(const Region& region, Access access, const Site& site);
  void count(const Noted* first, const Noted* end);

  bool keeps_requests_;
  std::vector<LineCount> lines_;
  std::vector<Noted> noted_;
  std::vector<Request> requests_;
};

}  // namespace kvarium::cuda::emulator
