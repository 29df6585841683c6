#include "cpu_reference/tokenizer/unicode.h"

#include <string>

#include "tests/support/catch.h"

using namespace kvarium::cpu;

TEST_CASE("a text is composed: letters take their marks, marks take their order") {
  CHECK(compose("cafe\u0301") == "caf\u00e9");
  CHECK(compose("A\u030a \u212b") == "\u00c5 \u00c5");
  CHECK(compose("s\u0323\u0307") == compose("s\u0307\u0323"));
  CHECK(compose("\u1112\u1161\u11ab") == "\ud55c");  // Hangul
  CHECK(compose("\u0958") == "\u0915\u093c");        // excluded from composition
  CHECK(compose("plain") == "plain");
  CHECK(compose("").empty());
}

TEST_CASE("composing leaves bytes that are no characters where they are") {
  CHECK(compose("e\u0301\xFF"
                "e\u0301") == "\u00e9\xFF\u00e9");
  CHECK(compose("\xE4\xBA") == "\xE4\xBA");
  CHECK(compose(std::string("\0e\u0301", 4)) == std::string("\0\u00e9", 3));
}

TEST_CASE("200,000 marks that all stand in the wrong order are put in order at once") {
  std::string marks = "a";
  for (int i = 0; i < 100'000; ++i) marks += "\u0301\u0316";  // above (230), below (220)
  const std::string sorted = compose(marks);
  CHECK(sorted.substr(0, 6) == "\u00e1\u0316\u0316");  // the first above joins the letter
  CHECK(sorted.size() == marks.size() - 1);
}

TEST_CASE("kinds of characters") {
  const auto kind = [](std::string_view text) { return character_at(text, 0).kind; };
  for (const char* letter : {"a", "Z", "\u00e9", "\u4e2d", "\u0e01", "\u02b0"})
    CHECK(kind(letter) == CharacterKind::letter);
  for (const char* number : {"7", "\u0664", "\u2167", "\u00bd"}) CHECK(kind(number) == CharacterKind::number);
  for (const char* space : {" ", "\t", "\v", "\f", "\u0085", "\u00a0", "\u2028", "\u3000"}) {
    CHECK(kind(space) == CharacterKind::space);
  }
  for (const char* other : {"!", "_", "\u0301", "\u200b", "\x01", "\xFF", "\u0378"}) {
    CHECK(kind(other) == CharacterKind::other);
  }
  CHECK(kind("\n") == CharacterKind::line_break);
  CHECK(character_at("x\u4e2d", 1).length == 3);
}
