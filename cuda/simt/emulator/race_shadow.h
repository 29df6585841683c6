#pragma once
// Beside every element of a shared array stands who wrote and who read it last, and where. Two accesses of different
// threads, one of them a write, with no barrier or __syncwarp between them, are a race, even if this run happened to
// give the right result.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/simt/emulator/access.h"
#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

class Block;

class RaceShadow {
 public:
  RaceShadow(std::size_t bytes, std::size_t element_bytes);

  /// Before the running thread touches [address, address + bytes). KernelFault: race, in_flight.
  void note(const Block& block, const Region& region, const void* address, std::size_t bytes, Access access,
            const Site& site);

  /// An asynchronous copy to these bytes is under way, or has been waited for.
  void begin_flight(const Block& block, const Region& region, const void* address, std::size_t bytes, const Site& site);
  void end_flight(const Region& region, const void* address, std::size_t bytes);

 private:
  /// One access: by whom, when, where. Epoch 0: none.
  struct Stamp {
    std::uint32_t epoch = 0;
    std::uint32_t clock = 0;
    std::uint16_t thread = 0;
    Access access = Access::load;
    Site site;
  };
  struct Cell {
    Stamp write;
    Stamp read;            ///< the last one
    Stamp read_in_warp;    ///< the last one before it by another lane of its warp
    Stamp read_elsewhere;  ///< the last one by another warp
    Stamp flight;          ///< the copy under way
  };

  static bool is_race(const Block& block, const Stamp& before, Access access);
  static void keep_read(Cell& cell, const Stamp& now);
  [[noreturn]] static void report(const Region& region, const void* address, const Stamp& before, Access access,
                                  const Site& site);
  /// The cells of a range: [first, end).
  struct Range {
    std::size_t first, end;
  };
  Range cells_of(const Region& region, const void* address, std::size_t bytes);

  std::size_t granule_;  ///< bytes a cell
  std::vector<Cell> cells_;
};

}  // namespace kvarium::cuda::emulator
