#pragma once
// The engine's ModelRunner over the CPU reference.

#include <memory>

#include "core/model_runner.h"

namespace kvarium::cpu {

struct Model;
class PagedKvStore;
class Transformer;

class CpuRunner final : public ModelRunner {
 public:
  explicit CpuRunner(std::shared_ptr<const Model> model);
  ~CpuRunner() override;

  const ModelShape& shape() const override;
  /// MisuseError when called twice.
  void create_cache(std::uint32_t num_blocks, std::uint32_t block_size) override;
  /// The whole batch is checked before the first number is computed: after a MisuseError the cache is as it was.
  ForwardResult forward(std::span<const ScheduledSequence> batch) override;
  void copy(std::span<const BlockCopy> copies) override;
  std::vector<std::byte> save(std::span<const BlockId> blocks) const override;
  void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) override;
  std::uint64_t saved_bytes(std::size_t num_blocks) const override;

 private:
  PagedKvStore& store() const;  ///< MisuseError before create_cache()
  void expect_valid(const ScheduledSequence& sequence) const;

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Transformer> transformer_;
  std::unique_ptr<PagedKvStore> store_;
};

}  // namespace kvarium::cpu
