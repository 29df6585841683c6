#pragma once
// What is drawn of a stepped kernel, before it becomes cells of a window or letters of a terminal.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cuda/demos/stepped_kernel.h"

namespace kvarium::cuda::demos {

inline constexpr std::size_t kWordBytes = emulator::kBankBytes;
inline constexpr std::size_t kWordsASector = emulator::kSectorBytes / kWordBytes;

/// A sector of global memory that a request wants.
struct SectorWords {
  std::size_t begin = 0;                                  ///< bytes from the beginning of the buffer
  std::array<std::optional<unsigned>, kWordsASector> by;  ///< the first lane that wants each word; none: nobody does
};
/// In the order in which they lie in the buffer.
std::vector<SectorWords> sector_words(const emulator::Request& request);

/// How many different words a request to shared memory wants of each bank: they are answered in turn.
std::array<std::size_t, emulator::kBanks> bank_words(const emulator::Request& request);

/// "sectors 2, fewest 1", "wavefronts 1, fewest 1"
std::string answers_words(const emulator::Request& request);

/// A line of the kernel that touches memory, and what it cost so far, in words.
struct CountRow {
  std::size_t line = 0;  ///< in lines() of the log
  std::string name;      ///< "reads keys :22"
  std::string requests, lanes, bytes, answers;
};
/// The heads of its columns.
CountRow count_heads();
/// All lines that have asked for something.
std::vector<CountRow> count_rows(const SteppedKernel& kernel);

/// Bytes so far and to the end, beside the kernel's own table and the floor: a sentence each.
std::vector<std::string> sums_words(const SteppedKernel& kernel);

/// "x: 1.5 -0.25 0 ..."
std::string input_words(const Input& input, std::size_t most_numbers);
/// The same of what was written; a point stands for what was not. Behind it how far it is from the equation.
std::string output_words(const Output& output, std::size_t most_numbers);

/// Before the first step: what the kernel does, with how many threads.
std::string beginning_words(const SteppedKernel& kernel);

}  // namespace kvarium::cuda::demos
