#pragma once
// Kernels with problems so small that every thread and every byte of them can be looked at: what the Kernel tab, the
// command `kvarium kernel` and the lessons step through. Nothing here knows how they are shown.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/simt/emulator/block.h"

namespace kvarium::cuda::demos {

/// A number of bytes and how it comes about.
struct ByteFormula {
  std::string text;  ///< "2 n d s + 4 n + 2 d s", with the letters of the kernel's header; T: threads
  std::size_t bytes = 0;
};

/// Where each token of a sequence lies in the cache, as the block table says.
struct PagedTokens {
  unsigned block_size = 0;
  std::vector<std::size_t> slots;  ///< [token] counted through all blocks
  std::size_t token_bytes = 0;     ///< of K (or V) in the cache
  std::string keys, values;        ///< names of the buffers; no values: a row is key and value (latent attention)
};

/// What a kernel is given.
struct Input {
  std::string name;
  std::vector<float> numbers;
};

/// What a kernel wrote, and what it had to write.
struct Output {
  std::string name;
  std::vector<float> numbers;  ///< NaN where nothing was written
  std::vector<double> exact;   ///< by the equation, in double; NaN where nothing is to be written
  double tolerance = 0;        ///< how far from it rounding may lead
};
/// The largest difference from what is exact; infinite where a number is missing, or there is one too many.
double farthest_off(const Output& output);

/// A launch and the memory that it works on. Kernels change memory: for another run a problem makes another instance.
class Instance {
 public:
  Instance() = default;
  virtual ~Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// With the emulation() that the caller has chosen.
  virtual emulator::KernelLaunch launch() = 0;
  virtual std::vector<Output> outputs() const = 0;

  ByteFormula by_table;                ///< what the kernel's header says that this rung moves in this problem
  ByteFormula floor;                   ///< what no kernel could do without
  std::vector<std::string> counted{};  ///< the buffers that both are about; none: all
  std::vector<Input> inputs{};
  std::optional<PagedTokens> paged{};  ///< none: the kernel reads no cache
};

struct Problem {
  std::string id;     ///< "eleven-8"
  std::string title;  ///< in words
  std::function<std::unique_ptr<Instance>()> make;
};

struct Rung {
  std::string id;    ///< "warp_a_head"
  std::string idea;  ///< in words
  std::vector<Problem> problems;
};

struct Kernel {
  std::string id;    ///< "attention_decode"
  std::string does;  ///< in words
  std::vector<Rung> rungs;
};

/// All that can be stepped through; the first problem of the first rung of the first kernel is scenario S11.
const std::vector<Kernel>& kernels();

/// Indices into kernels(), its rungs, its problems.
struct DemoPlace {
  std::size_t kernel = 0, rung = 0, problem = 0;
  bool operator==(const DemoPlace&) const = default;

  const Kernel& of_kernel() const { return kernels()[kernel]; }
  const Rung& of_rung() const { return of_kernel().rungs[rung]; }
  const Problem& of_problem() const { return of_rung().problems[problem]; }
};

/// By their ids; an empty id is the first that there is. InputError, listing what there is, for a name that is none.
DemoPlace find_demo(std::string_view kernel, std::string_view rung, std::string_view problem);

}  // namespace kvarium::cuda::demos
