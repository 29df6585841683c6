#pragma once
// A small model guesses for a large one (Leviathan et al. 2023). It has its own cache: blocks of its own pool, of its
// own size, which must be rolled back as the target's are.
//
//   tokens T, k drafts, a of them accepted; the last of the T tokens is new to both models
//   target reads 1 + k:  keeps T + a                    the drafts' K and V from a on are void
//   draft reads       k:  keeps T + min(a, k - 1)       it never reads its last draft, so that after a full acceptance
//                                                       it is one token short, and reads two in the next round
//   both are to read the new token behind them

#include <map>

#include "core/blocks/block_table.h"
#include "core/model_runner.h"
#include "core/speculation/proposer.h"

namespace kvarium {

class DraftModel final : public Proposer {
 public:
  /// Makes a pool and the runner's cache. When the pool is full a request gets no draft. InputError as
  /// ModelRunner::create_cache(). The runner must outlive the proposer.
  DraftModel(ModelRunner& runner, std::uint32_t num_blocks, std::uint32_t block_size);

  std::string name() const override { return "a small model, " + runner_.shape().name; }
  void expect_fits(const ModelShape& target) const override;
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override;
  void settle(RequestId id, std::span<const TokenId> tokens, std::span<const float> hidden) override;
  void forget(RequestId id) override;
  std::uint32_t cached_tokens(RequestId id) const override;

  const BlockPool& pool() const { return pool_; }

 private:
  /// What it has read of one request. Invariant between two calls: table.num_tokens() == read.size(), except after a
  /// pass that failed, when the table has more.
  struct Reader {
    BlockTable table;
    std::vector<TokenId> read;  ///< its K and V are in the table's blocks
  };
  /// A request that is being drafted for.
  struct Drafting {
    const DraftRequest* request = nullptr;
    Reader* reader = nullptr;
    Draft* draft = nullptr;
    std::uint32_t most = 0;  ///< as context and pool allow
  };

  Drafting begin(const DraftRequest& request, Draft& draft);
  void read_once(std::vector<Drafting>& all);
  static void keep_common(Reader& reader, std::span<const TokenId> tokens);

  ModelRunner& runner_;
  NullSink silent_;  ///< the engine announces what this cache keeps
  BlockPool pool_;
  std::map<RequestId, Reader> readers_;
};

}  // namespace kvarium
