// kernels_bench [--json FILE]: the ladders that decide how fast a model is, rung by rung, in one table.

#include <cstdio>
#include <cstring>
#include <exception>

#include "cuda/bench/bench.h"

namespace {

using namespace kvarium::cuda;

bool write_whole(const char* path, const std::string& words) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(words.data(), 1, words.size(), file) == words.size();
  return std::fclose(file) == 0 && is_written;
}

int bench(const char* json_path) {
  const Floors floors = measure_floors();
  std::vector<Row> rows;
  const auto run = [&](const Job& job) {
    std::fprintf(stderr, "%s %s: %s\n", job.kernel.c_str(), job.rung.c_str(), job.problem.c_str());
    rows.push_back({job, measure(job)});
    rows.back().job.run = nullptr;  // its buffers are gone when the table is printed
  };
  bench_cache(run);
  bench_dense(run);
  bench_decode(run);
  bench_prefill(run);
  std::fputs(table(floors, rows).c_str(), stdout);
  if (json_path == nullptr || write_whole(json_path, json(floors, rows))) return 0;
  std::fprintf(stderr, "kernels_bench: %s cannot be written: check the folder\n", json_path);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_file = argc == 3 && std::strcmp(argv[1], "--json") == 0;
  if (argc != 1 && !has_file) {
    std::fprintf(stderr, "kernels_bench: it takes --json FILE or nothing\n");
    return 2;
  }
  const std::string reason = why_no_device();
  if (!reason.empty()) {
    std::printf("SKIP: %s\n", reason.c_str());
    return 77;
  }
  try {
    return bench(has_file ? argv[2] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernels_bench: %s\n", error.what());
    return 1;
  }
}
