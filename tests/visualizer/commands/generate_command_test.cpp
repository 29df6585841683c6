#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/shared_data.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

namespace {

/// One file of the data folder that lies beside the repository, or empty.
std::string shared_data(const std::string& name) {
  const std::filesystem::path path = shared_data_folder() / name;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

}  // namespace

TEST_CASE("generate writes the same text when tokens are guessed ahead, whoever guesses") {
  const std::string flags = "generate --prompt 'Once upon a time' --tokens 24";
  const Outcome plain = run_kvarium(flags);
  for (const char* const proposer : {"ngram", "draft", "medusa", "medusa-tree", "oracle"}) {
    const Outcome guessed = run_kvarium(flags + " --draft-length 3 --speculate " + proposer);
    INFO(proposer);
    CHECK(guessed.out == plain.out);
    CHECK_THAT(guessed.error, contains("drafts: ") && contains("guesses accepted"));
  }
  const Outcome refused = run_kvarium(flags + " --speculate ngram --cache none");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.error, contains("--speculate needs --cache paged"));
  for (const char* const same : {"ngram --match latest", "draft --adaptive-length", "medusa --match earliest"}) {
    INFO(same);
    CHECK(run_kvarium(flags + " --speculate " + same).out == plain.out);
  }
}

TEST_CASE("generate refuses options of guessing ahead that mean nothing without others, in one line") {
  const std::string flags = "generate --prompt 'Once upon a time' --tokens 4 ";
  for (const char* const wrong :
       {"--draft-length 3", "--adaptive-length", "--match latest", "--acceptance typical", "--draft tales-draft",
        "--speculate draft --match latest", "--speculate ngram --draft tales-draft",
        "--speculate medusa --acceptance typical", "--speculate medusa-tree --temperature 1 --acceptance typical",
        "--speculate medusa-tree --adaptive-length", "--speculate medusa-tree --draft-length 64 --runner kernels"}) {
    INFO(wrong);
    const Outcome refused = run_kvarium(flags + wrong);
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK_THAT(refused.error, contains("--speculate") || contains("--temperature above 0") || contains("at most 63"));
  }
}

TEST_CASE("guessing commands say whose heads there are, and refuse options that mean nothing, in one line") {
  const auto refused = [](const std::string& line, const std::string& why) {
    const Outcome outcome = run_kvarium(line);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.error, contains(why));
  };
  refused("generate --prompt 'Once' --model tales-one --speculate medusa",
          "guess for tales-target alone, not for tales-one");
  refused("speculate --limit 1 --proposer ngram --medusa x", "--medusa needs --proposer medusa");
  refused("speculate --limit 1 --proposer ngram --draft tales-draft", "--draft needs --proposer draft");
}

TEST_CASE("generate samples with typical acceptance, which is another distribution than plain sampling's") {
  const std::string flags = "generate --prompt 'Once upon a time' --tokens 8 --temperature 1 --speculate medusa ";
  const Outcome typical = run_kvarium(flags + "--acceptance typical");
  CHECK(typical.exit_code == 0);
  CHECK_THAT(typical.error, contains("guesses accepted"));
}

TEST_CASE("generate writes the same text over the kernels, and says that they are emulated") {
  const std::string flags = "generate --model tales-one --prompt 'Once upon' --tokens 4 --runner ";
  const Outcome kernels = run_kvarium(flags + "kernels");
  CHECK(kernels.exit_code == 0);
  CHECK(kernels.out == run_kvarium(flags + "cpu").out);
  CHECK_THAT(kernels.error, contains("by the CUDA kernels in f32, emulated") && !contains("tokens/s"));
  const Outcome half = run_kvarium(flags + "kernels --numbers f16");
  CHECK_THAT(half.error, contains("by the CUDA kernels in f16"));
}

TEST_CASE("generate writes the same text on a device, or says in one line why there is none") {
  const std::string flags = "generate --model tales-one --prompt 'Once upon' --tokens 4 --runner ";
  const Outcome device = run_kvarium(flags + "device");
  if (device.exit_code == 0) {
    CHECK(device.out == run_kvarium(flags + "cpu").out);
    CHECK_THAT(device.error, contains("by the CUDA kernels in f32 on ") && contains("tokens/s"));
    return;
  }
  CHECK(device.exit_code == 2);
  CHECK(device.out.empty());
  CHECK_THAT(device.error, contains("built without CUDA") || contains("no usable CUDA device"));
  CHECK(std::count(device.error.begin(), device.error.end(), '\n') == 1);
}

TEST_CASE("generate refuses kernels where they do not go, in one line") {
  const auto refused = [](const std::string& flags) {
    const Outcome outcome = run_kvarium("generate --prompt Hello --tokens 2 " + flags);
    CHECK(outcome.exit_code == 2);
    return outcome.error;
  };
  CHECK_THAT(refused("--runner kernels --cache contiguous"), contains("--runner kernels needs --cache paged"));
  CHECK_THAT(refused("--runner device --cache none"), contains("--runner device needs --cache paged"));
  CHECK_THAT(refused("--numbers f16"), contains("--numbers f16 needs --runner kernels"));
}

TEST_CASE("speculate times guessing ahead against plain decoding, and finds the same answers") {
  const Outcome measured = run_kvarium("speculate --limit 1 --repeats 1 --proposer ngram --draft-length 2");
  CHECK(measured.exit_code == 0);
  CHECK_THAT(measured.out, contains("1 answers") && contains("measured") && contains("   ngram   2 "));
}

TEST_CASE("generate writes the same text with every cache, and counts less work with one") {
  const std::string flags = "generate --prompt 'Once upon a time' --tokens 24 --cache ";
  const Outcome none = run_kvarium(flags + "none");
  const Outcome contiguous = run_kvarium(flags + "contiguous");
  const Outcome paged = run_kvarium(flags + "paged --block-size 4");
  REQUIRE(none.exit_code == 0);
  CHECK(none.out.rfind("Once upon a time", 0) == 0);
  CHECK(none.out.size() > std::string("Once upon a time\n").size());
  CHECK(contiguous.out == none.out);
  CHECK(paged.out == none.out);
  CHECK_THAT(none.error, contains("tales-target: safetensors"));
  CHECK_THAT(none.error, contains("24 tokens after a prompt of 6"));
  CHECK_THAT(none.error, contains("cache none: 0 B"));
  // 6 layers; without a cache 6 + 7 + ... + 29 tokens, with one 6 + 23.
  CHECK_THAT(none.error, contains("K and V computed 2,520 times"));
  CHECK_THAT(contiguous.error, contains("K and V computed 174 times"));
  CHECK_THAT(paged.error, contains("K and V computed 174 times"));
}

TEST_CASE("generate with a temperature follows the seed, with every cache") {
  const std::string flags = "generate --prompt Hello --tokens 16 --temperature 0.8 --top-k 40 --top-p 0.9 --seed ";
  const Outcome three = run_kvarium(flags + "3");
  CHECK(three.exit_code == 0);
  CHECK(run_kvarium(flags + "3 --cache none").out == three.out);
  CHECK(run_kvarium(flags + "4").out != three.out);
}

TEST_CASE("a stop string ends the text before it, with every cache") {
  const std::string flags = "generate --prompt 'Once upon a time' --tokens 24";
  const std::string whole = run_kvarium(flags).out;
  const std::string stop = whole.substr(24, 5);  // spans tokens
  REQUIRE(stop.find('\'') == std::string::npos);
  const std::string expected = whole.substr(0, whole.find(stop, 16)) + "\n";
  for (const std::string cache : {"none", "contiguous", "paged"}) {
    INFO(cache);
    CHECK(run_kvarium(flags + " --cache " + cache + " --stop '" + stop + "'").out == expected);
  }
}

TEST_CASE("generate tells the story of a real model to the letter") {
  const std::string model = shared_data("stories260K.bin");
  const std::string tokenizer = shared_data("tok512.bin");
  if (model.empty() || tokenizer.empty()) {
    WARN("skipped: stories260K.bin and tok512.bin are not in KVARIUM_SHARED_DATA or ../shared/data");
    return;
  }
  const Outcome outcome = run_kvarium("generate --model '" + model + "' --tokenizer '" + tokenizer +
                                      "' --prompt 'Once upon a time' --tokens 20 --temperature 0");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("Once upon a time, there was a little girl named Lily. She"));
}

TEST_CASE("generate refuses what cannot run, in one line") {
  check_refused("generate", "--prompt");
  check_refused("generate --prompt ''", "prompt is empty");
  check_refused("generate --prompt \"$(printf 'ab\\342\\202')\"", "not valid UTF-8: byte 2");
  check_refused("generate --prompt \"$(head -c 100000 /dev/zero | tr '\\0' x)\"", "the context of");
  check_refused("generate --prompt \"$(head -c 100000 /dev/zero | tr '\\0' x)\" --cache none", "the context of");
  check_refused("generate --prompt a --model /no/such/model.bin --tokenizer /no/such/tok.bin", "/no/such/model.bin");
  check_refused("generate --prompt a --model x.bin", "x.bin: there is no such file");
  check_refused("generate --prompt a --model x.gguf --tokenizer y.bin", "only a llama2.c .bin takes a tokenizer");
  check_refused("generate --prompt a --tokenizer x.bin", "--model");
  check_refused("generate --prompt a --block-size 0", "--block-size");
  check_refused("generate --prompt a --blocks 0", "--blocks");
  check_refused("generate --prompt a --tokens 0", "--tokens");
  check_refused("generate --prompt a --tokens -5", "-5");
  check_refused("generate --prompt a --cache quick", "quick");
  check_refused("generate --prompt a --temperature -1", "temperature");
  check_refused("generate --prompt a --temperature nan", "temperature");
  check_refused("generate --prompt a --top-p 7 --temperature 1", "top_p");
  check_refused("generate --prompt a --flag-that-is-none", "--flag-that-is-none");
}

TEST_CASE("several answers share the prompt, and the closing lines say what that saved") {
  const std::string flags = "generate --prompt 'Once there was a little girl named Mia' --tokens 6 --temperature 1 ";
  const Outcome three = run_kvarium(flags + "--block-size 8 --candidates 3");
  REQUIRE(three.exit_code == 0);
  CHECK_THAT(three.out, contains("[1] Once there was a little girl named Mia"));
  CHECK_THAT(three.out, contains("\n[3] Once there was a little girl named Mia"));
  // A prompt of 9 tokens: block 0 shared, and a last block for each answer.
  CHECK_THAT(three.error, contains("sharing: 4 blocks held (96.0 KiB), without sharing 6 (144 KiB): 33.3 % less"));
  CHECK_THAT(three.error, contains("copy on write: 2 blocks, 2 tokens copied"));
  // Each answer is the one that its seed gives alone.
  const std::string second = run_kvarium(flags + "--seed 1").out;
  CHECK_THAT(three.out, contains("[2] " + second.substr(0, second.size() - 1) + "\n"));
}

TEST_CASE("a beginning that an earlier prompt left behind is found, except by another tenant") {
  const std::string flags =
      "generate --prompt 'Once there was a little girl' --prompt 'Once there was a little girl and Tom' --tokens 4 "
      "--block-size 4 --max-running 1 ";
  const Outcome off = run_kvarium(flags);
  const Outcome hash = run_kvarium(flags + "--prefix-cache hash");
  REQUIRE(hash.exit_code == 0);
  CHECK_THAT(hash.error, contains("prefix cache hash: 4 of 16 prompt tokens found, 0 blocks evicted"));
  CHECK(off.out == hash.out);
  const Outcome radix = run_kvarium(flags + "--prefix-cache radix");
  CHECK(radix.out == hash.out);
  CHECK_THAT(radix.error, contains("prefix cache radix: 4 of 16"));
  const Outcome salted = run_kvarium(flags + "--prefix-cache hash --tenant-salt Ann --tenant-salt Bob");
  CHECK(salted.out == hash.out);
  CHECK_THAT(salted.error, contains("prefix cache hash: 0 of 16"));
}

TEST_CASE("schedulers and preemption change when things happen, not what is written") {
  const std::string flags =
      "generate --prompt 'Once upon a time' --prompt 'One day' --prompt 'The big red ball' --tokens 12 --block-size 4 ";
  const std::string expected = run_kvarium(flags).out;
  for (const std::string scheduler : {"static", "chunked", "longest-prefix", "depth-first", "priority"}) {
    INFO(scheduler);
    CHECK(run_kvarium(flags + "--max-running 2 --token-budget 4 --scheduler " + scheduler).out == expected);
  }
  for (const std::string preemption : {"recompute", "swap"}) {
    const Outcome small = run_kvarium(flags + "--blocks 8 --preemption " + preemption);
    CHECK(small.out == expected);
    CHECK_THAT(small.error, contains("preemptions: "));
  }
}

TEST_CASE("generate refuses choices that there are not, and those that do not go together") {
  const std::string flags = "generate --prompt a --tokens 2 ";
  check_refused(flags + "--prefix-cache tree", "tree");
  check_refused(flags + "--queue-order old", "old");
  check_refused(flags + "--eviction random", "random");
  check_refused(flags + "--scheduler fair", "fair");
  check_refused(flags + "--preemption kill", "kill");
  check_refused(flags + "--candidates 0", "--candidates");
  check_refused(flags + "--max-running 0", "--max-running");
  check_refused(flags + "--token-budget 0", "--token-budget");
  check_refused(flags + "--eviction lfu", "needs --prefix-cache hash");
  check_refused(flags + "--prefix-cache radix --eviction lfu", "needs --prefix-cache hash");
  check_refused(flags + "--prefix-cache hash --eviction lfu --queue-order classic", "classic");
  check_refused(flags + "--candidates 3 --max-running 2", "candidates is 3 and max_running 2");
  check_refused(flags + "--candidates 3 --token-budget 2", "token_budget is 2 and max_running 3");
  check_refused(flags + "--candidates 2 --cache none", "needs --cache paged");
  check_refused(flags + "--prompt b --cache contiguous", "need --cache paged");
  check_refused(flags + "--prefix-cache hash --cache none", "needs --cache paged");
  check_refused(flags + "--tenant-salt a --tenant-salt b", "one for each prompt");
}

TEST_CASE("a pool that is too small for the answer is refused") {
  const Outcome outcome = run_kvarium("generate --prompt 'Once upon a time' --tokens 64 --block-size 4 --blocks 3");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.error, contains("the pool has 3"));
}

TEST_CASE("generate ends quietly when nobody reads any more, and complains of a full disk") {
  const Outcome closed = run_kvarium("generate --prompt 'Once upon a time' --tokens 200 | head -c 20");
  CHECK(closed.out.size() == 20);
  CHECK_THAT(closed.error, !contains("bug"));
  if (!has_full_device()) return;
  const Outcome full = run_kvarium("generate --prompt 'Once upon a time' --tokens 4 >/dev/full");
  CHECK(full.exit_code == 2);
  CHECK_THAT(full.error, contains("No space left on device"));
}

TEST_CASE("a recording that cannot be written is refused before a word is printed") {
  check_refused("generate --prompt a --tokens 2 --record /no/such/folder/t.jsonl", "/no/such/folder/t.jsonl");
  check_refused("generate --prompt a --tokens 2 --record /", "/");
}

TEST_CASE("a request that is refused leaves the file that was there alone") {
  const std::string path = scratch("kept.jsonl");
  write_file(path, "precious");
  CHECK(run_kvarium("generate --prompt '' --record '" + path + "'").exit_code == 2);
  CHECK(run_kvarium("generate --prompt a --tokens 64 --blocks 1 --record '" + path + "'").exit_code == 2);
  CHECK(read_file(path) == "precious");
  std::filesystem::remove(path);
}

TEST_CASE("Ctrl-C ends the answer and leaves a whole recording") {
  const std::string path = scratch("stopped.jsonl");
  // The shell sends SIGINT to itself and its child once the recording shows that the answer has begun.
  const Outcome outcome =
      run_program("/bin/sh",
                  "-c 'trap : INT; \"$0\" generate --prompt Once --tokens 400 --cache none --record \"$1\" & "
                  "while ! grep -q TokenSampled \"$1\" 2>/dev/null && ! grep -q token_sampled \"$1\" 2>/dev/null; "
                  "do sleep 0.05; done; kill -INT $!; wait $!; exit $?' '" +
                      std::string(KVARIUM_PROGRAM) + "' '" + path + "'");
  CHECK(outcome.exit_code == 130);
  const Outcome replay = run_kvarium("replay '" + path + "' --text");
  CHECK(replay.exit_code == 0);
  CHECK(replay.error.empty());
  CHECK_THAT(replay.out, contains("abort"));
  std::filesystem::remove(path);
}
