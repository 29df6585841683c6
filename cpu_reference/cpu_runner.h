#pragma once
// The engine's ModelRunner over the CPU reference.

#include <memory>

#include "core/model_runner.h"

namespace kvarium::cpu {

struct Model;
class PagedKvStore;
class Transformer;
struct Workspace;

class CpuRunner final : public ModelRunner {
 public:
  /// `threads` counts the caller's own; 0: suitable_threads(). The numbers do not depend on it.
  explicit CpuRunner(std::shared_ptr<const Model> model, std::uint32_t threads = 0);
  ~CpuRunner() override;

  const ModelShape& shape() const override;
  /// MisuseError when called twice.
  void create_cache(std::uint32_t num_blocks, std::uint32_t block_size) override;
  /// The whole batch is checked before the first number is computed: after a MisuseError the cache is as it was.
  ForwardResult forward(std::span<const ScheduledSequence> batch) override;
  void copy(std::span<const BlockCopy> copies) override;
  void move(std::span<const SlotMove> moves) override;
  std::vector<std::byte> save(std::span<const BlockId> blocks) const override;
  void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) override;
  std::uint64_t saved_bytes(std::size_t num_blocks) const override;
  bool set_probe(StepProbe* probe) override;

 private:
  PagedKvStore& store() const;  ///< MisuseError before create_cache()
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Transformer> transformer_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<PagedKvStore> store_;
  StepProbe* probe_ = nullptr;
};

}  // namespace kvarium::cpu
