#include "core/token_text.h"

#include "core/utf8.h"
#include "tests/support/catch.h"

using namespace kvarium;

TEST_CASE("valid text stays as it is") {
  CHECK(printable("") == "");
  CHECK(printable(" once") == " once");
  CHECK(printable("é 人 😀") == "é 人 😀");
  CHECK(printable("\xEF\xBF\xBD \xF4\x8F\xBF\xBF") == "\xEF\xBF\xBD \xF4\x8F\xBF\xBF");  // U+FFFD, U+10FFFF
}

TEST_CASE("control characters become their bytes") {
  CHECK(printable("a\nb\t") == "a<0x0A>b<0x09>");
  CHECK(printable(std::string("\0\x1F\x7F", 3)) == "<0x00><0x1F><0x7F>");
  CHECK(printable("\xC2\x85 \xC2\xA0") == "<0xC2><0x85> \xC2\xA0");  // U+0085 is a control, U+00A0 a space
}

TEST_CASE("bytes that are no valid UTF-8 become themselves in angle brackets, and what follows is read again") {
  CHECK(printable("\xE2") == "<0xE2>");
  CHECK(printable("\xE2\x80") == "<0xE2><0x80>");  // cut
  CHECK(printable("\x80x") == "<0x80>x");          // a continuation byte alone
  CHECK(printable("\xC3(") == "<0xC3>(");          // not continued
  CHECK(printable("\xC0\xAF") == "<0xC0><0xAF>");  // overlong
  CHECK(printable("\xE0\x80\xAF") == "<0xE0><0x80><0xAF>");
  CHECK(printable("\xED\xA0\x80") == "<0xED><0xA0><0x80>");            // a surrogate
  CHECK(printable("\xF4\x90\x80\x80") == "<0xF4><0x90><0x80><0x80>");  // above U+10FFFF
  CHECK(printable("\xFF\xE4\xBA\xBA") == "<0xFF>人");
}

TEST_CASE("printable text is valid whatever the two bytes were") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = printable(std::string{static_cast<char>(first), static_cast<char>(second)});
      std::size_t at = 0;
      while (at < text.size() && utf8_length(text, at) > 0) at += utf8_length(text, at);
      REQUIRE(at == text.size());
    }
  }
}

TEST_CASE("a token without a name of its own is called by its text") {
  class Fixed : public TokenText {
    std::string piece(std::optional<TokenId>, TokenId) const override { return "a\n"; }
  };
  CHECK(Fixed().name(TokenId{0}) == "a<0x0A>");
}
