#include "core/prefix/block_hash.h"

#include <set>

#include "core/error.h"
#include "tests/core/prefix/prefix_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

ExtraKeys salted(std::string salt) { return {std::move(salt), {}, {}}; }
ExtraKeys adapted(std::string name, std::uint64_t content_id) { return {{}, Adapter{std::move(name), content_id}, {}}; }
ExtraKeys with_image(std::string image, std::uint32_t first = 1) { return {{}, {}, {{std::move(image), first, 2}}}; }

}  // namespace

TEST_CASE("only full blocks have a hash") {
  const BlockHasher hasher(4);
  CHECK(hasher.hashes(token_range(0, 3)).empty());
  CHECK(hasher.hashes(token_range(0, 4)).size() == 1);
  CHECK(hasher.hashes(token_range(0, 11)).size() == 2);
  CHECK_THROWS_WITH(hasher.block({}, token_range(0, 3)), "only full blocks have a hash: 3 tokens for a block of 4");
}

TEST_CASE("a hash stands for the block and all that came before it") {
  const BlockHasher hasher(4);
  const auto a = hasher.hashes(token_range(0, 12));
  const auto same_end = hasher.hashes(token_range(50, 4) + token_range(4, 8));
  CHECK(a[0] != same_end[0]);
  CHECK(a[1] != same_end[1]);  // the same four tokens after another beginning
  CHECK(a[2] != same_end[2]);
  const auto same_start = hasher.hashes(token_range(0, 8) + token_range(90, 4));
  CHECK(a[0] == same_start[0]);
  CHECK(a[1] == same_start[1]);
  CHECK(a[2] != same_start[2]);
  CHECK(a[1] == hasher.block(a[0], token_range(4, 4)));
  CHECK(a[0] == hasher.block(hasher.root(), token_range(0, 4)));
}

TEST_CASE("hashes are extended as tokens are appended, and equal those of the whole") {
  const BlockHasher hasher(4);
  const ExtraKeys keys{"salt", {}, {{"cat", 2, 7}}};
  std::vector<BlockHash> hashes;
  for (std::int32_t count = 0; count <= 21; ++count) hasher.extend(hashes, token_range(0, count), keys);
  CHECK(hashes == hasher.hashes(token_range(0, 21), keys));
}

TEST_CASE("a hash can be cut to a few bits, as a demonstration") {
  const BlockHasher narrow(4, 8);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 2000; ++i) {
    const BlockHash hash = narrow.hashes(token_range(i, 4))[0];
    CHECK((hash.high == 0 && hash.low < 256));
    seen.insert(hash.low);
  }
  CHECK(seen.size() > 250);  // of 256; 2000 draws miss one with probability 256 * (255/256)^2000 = 0.1, ten never
  CHECK(BlockHasher(4, 64).root().high == 0);
  CHECK(BlockHasher(4, 65).root().high < 2);
  CHECK(BlockHasher(4, 128).root() == BlockHasher(4).root());
  CHECK_THROWS_AS(BlockHasher(4, 0), InputError);
  CHECK_THROWS_WITH(BlockHasher(4, 129), "a hash of 129 bits: give 1 to 128");
  CHECK_THROWS_AS(BlockHasher(0), InputError);
}

TEST_CASE("a hash is written with 32 hexadecimal digits") {
  CHECK(show(BlockHash{0xAB, 1}) == "00000000000000ab0000000000000001");
}

TEST_CASE("a salt cannot spell a block: roots and blocks are hashed as different kinds") {
  const BlockHasher hasher(4);
  std::set<std::string> names;
  for (const std::string& salt : {std::string(), std::string("a"), std::string(16 + 16, '\0')}) {
    names.insert(show(hasher.root(salted(salt))));
  }
  names.insert(show(hasher.root()));
  names.insert(show(hasher.block({}, tokens({0, 0, 0, 0}))));
  CHECK(names.size() == 5);
}

// --- reported faults of such hashes

TEST_CASE("case B41: tokens -1 and -2 do not get the same hash") {
  const BlockHasher hasher(4);
  CHECK(hasher.hashes(tokens({-1, 0, 0, 0})) != hasher.hashes(tokens({-2, 0, 0, 0})));
}

TEST_CASE("case B42: what follows two different images differs, though its tokens are equal") {
  const BlockHasher hasher(4);
  const auto cat = hasher.hashes(token_range(0, 8), with_image("cat"));
  const auto dog = hasher.hashes(token_range(0, 8), with_image("dog"));
  CHECK(cat[0] != dog[0]);
  CHECK(cat[1] != dog[1]);
  const auto later = hasher.hashes(token_range(0, 12), with_image("cat", 6));  // in positions 6 and 7
  CHECK(later[0] == hasher.hashes(token_range(0, 4))[0]);
  CHECK(later[1] != hasher.hashes(token_range(0, 8))[1]);
  CHECK(later != hasher.hashes(token_range(0, 12), with_image("cat", 5)));
}

TEST_CASE("case B45: all of an image's name counts") {
  const BlockHasher hasher(4);
  CHECK(hasher.hashes(token_range(0, 4), with_image(std::to_string(7))) !=
        hasher.hashes(token_range(0, 4), with_image(std::to_string(7 + 65'536))));
}

TEST_CASE("cases B46, B47 and B55: another adapter, other weights under its name, another scale, or none") {
  const BlockHasher hasher(4);
  std::set<std::string> names;
  for (const ExtraKeys& keys : {ExtraKeys{}, adapted("one", 1), adapted("two", 1), adapted("one", 2)}) {
    names.insert(show(hasher.hashes(token_range(0, 8), keys)[1]));
  }
  CHECK(names.size() == 4);
}

TEST_CASE("case B50: a salt is not an adapter of the same name") {
  const BlockHasher hasher(4);
  CHECK(hasher.hashes(token_range(0, 4), salted("X")) != hasher.hashes(token_range(0, 4), adapted("X", 0)));
  CHECK(hasher.hashes(token_range(0, 4), salted("X")) != hasher.hashes(token_range(0, 4), salted("x")));
  CHECK(hasher.hashes(token_range(0, 4), salted("")) != hasher.hashes(token_range(0, 4)));
}

TEST_CASE("case B51: parts of a key do not run into each other") {
  const BlockHasher hasher(4);
  CHECK(hasher.root({"ab", Adapter{"c", 0}, {}}) != hasher.root({"a", Adapter{"bc", 0}, {}}));
  CHECK(hasher.root(salted("s,adapter=1:x#0")) != hasher.root({"s", Adapter{"x", 0}, {}}));
}

TEST_CASE("case B56: hashes are the same in every process, unless the seeds differ") {
  // Computed in Python from the bytes that block_hash.cpp describes.
  CHECK(show(BlockHasher(4).hashes(token_range(0, 4))[0]) == "611ad59570211eee0f3af26f4a5a88a6");
  CHECK(BlockHasher(4, 128, 1).hashes(token_range(0, 4)) != BlockHasher(4, 128, 2).hashes(token_range(0, 4)));
  CHECK(BlockHasher(4, 128, 1).hashes(token_range(0, 4)) == BlockHasher(4, 128, 1).hashes(token_range(0, 4)));
}
