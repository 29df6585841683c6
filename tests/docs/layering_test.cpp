// The arrows of docs/architecture.md point down only.

#include "tests/docs/layering.h"
#include "tests/support/catch.h"

using namespace kvarium_test;

namespace {

std::string complaints_about(const std::string& path, const std::string& text) {
  return joined(layer_violations({path, text}, layer_rules()));
}

}  // namespace

TEST_CASE("no folder includes what stands above it") {
  const Repository repository = read_repository(KVARIUM_SOURCE_DIR);
  std::vector<std::string> sentences;
  std::size_t num_sources = 0;
  for (const TextFile& file : repository.files) {
    if (!is_source(file.path)) continue;
    ++num_sources;
    for (const std::string& sentence : layer_violations(file, layer_rules())) sentences.push_back(sentence);
    for (const std::string& sentence : unrooted_includes(file, repository)) sentences.push_back(sentence);
  }
  CHECK(num_sources > 20);
  CHECK(joined(sentences) == "");
}

TEST_CASE("every folder that has a layer rule exists") {
  const Repository repository = read_repository(KVARIUM_SOURCE_DIR);
  for (const LayerRule& rule : layer_rules()) {
    INFO(rule.folder);
    CHECK(repository.has(rule.folder));
  }
}

TEST_CASE("a planted include from above is found, with its line") {
  CHECK(complaints_about("core/trace/world.cpp", "#include <vector>\n#include \"visualizer/draw/arrow.h\"\n") ==
        "core/trace/world.cpp:2: includes visualizer/draw/arrow.h: core knows no matrices, no GPU and no window");
  CHECK(complaints_about("core/a.h", "  #  include <Eigen/Core>") != "");
  CHECK(complaints_about("cpu_reference/a.h", "#include \"lessons/kit/lesson.h\"") != "");
  CHECK(complaints_about("lessons/a.cpp", "#include \"visualizer/app/app.h\"") != "");
  CHECK(complaints_about("visualizer/panels/a.cpp", "#include \"core/engine.h\"") != "");
  CHECK(complaints_about("visualizer/draw/a.cpp", "#include \"core/blocks/block_pool.h\"") != "");
  CHECK(complaints_about("visualizer/layout/a.cpp", "#include <imgui.h>") != "");
}

TEST_CASE("an include from below, a comment and a string are no violation") {
  CHECK(complaints_about("visualizer/panels/a.cpp", "#include \"core/trace/world.h\"\n#include <imgui.h>") == "");
  CHECK(complaints_about("lessons/a.cpp", "#include \"core/engine.h\"") == "");
  CHECK(complaints_about("core/a.h", "// #include <imgui.h>\nconst char* text = \"#include <imgui.h>\";") == "");
}

TEST_CASE("an include that is relative to its own folder is found") {
  const Repository repository{KVARIUM_SOURCE_DIR, {}};
  CHECK(unrooted_includes({"core/a.h", "#include \"core/ids.h\"\n#include <vector>"}, repository).empty());
  CHECK(joined(unrooted_includes({"core/a.h", "#include \"ids.h\""}, repository)) ==
        "core/a.h:1: \"ids.h\" is no path from the root; <...> is for libraries");
}
