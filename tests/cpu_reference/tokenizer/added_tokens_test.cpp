#include "cpu_reference/tokenizer/added_tokens.h"

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

/// "5+3=#1": at byte 5 so many bytes are token 1; "none".
std::string show(const std::optional<AddedTokens::Match>& match) {
  return match ? fmt::format("{}+{}=#{}", match->at, match->length, value(match->token)) : "none";
}

bool everywhere(std::size_t /*begin*/, std::size_t /*end*/) { return true; }
bool nowhere(std::size_t /*begin*/, std::size_t /*end*/) { return false; }

}  // namespace

TEST_CASE("of the added tokens that match, the first is found, and there the longest") {
  const AddedTokens tokens({{"<a>", TokenId{1}}, {"<a><b>", TokenId{2}}, {"b", TokenId{3}}, {"", TokenId{4}}});
  CHECK(show(tokens.find("x<a>y", 0, everywhere)) == "1+3=#1");
  CHECK(show(tokens.find("x<a><b>", 0, everywhere)) == "1+6=#2");
  CHECK(show(tokens.find("x<a><b>", 2, everywhere)) == "5+1=#3");
  CHECK(show(tokens.find("x<a", 0, everywhere)) == "none");
  CHECK(show(tokens.find("", 0, everywhere)) == "none");
}

TEST_CASE("control tokens are found only where they are allowed") {
  const AddedTokens tokens({{"<s>", TokenId{1}, true}, {"<s> ", TokenId{2}, false}});
  CHECK(show(tokens.find("<s>", 0, everywhere)) == "0+3=#1");
  CHECK(show(tokens.find("<s>", 0, nowhere)) == "none");
  CHECK(show(tokens.find("<s> ", 0, nowhere)) == "0+4=#2");
  const auto behind = [](std::size_t begin, std::size_t /*end*/) { return begin >= 2; };
  CHECK(show(tokens.find("<s><s>", 0, behind)) == "3+3=#1");
}

TEST_CASE("an added token takes the white space around it where it is to") {
  const AddedTokens tokens({{"<l>", TokenId{1}, true, true, false}, {"<r>", TokenId{2}, true, false, true}});
  CHECK(show(tokens.find("a \t<l> b", 0, everywhere)) == "1+5=#1");
  CHECK(show(tokens.find("a <r> \n", 0, everywhere)) == "2+5=#2");
  CHECK(show(tokens.find("a\u3000\u00a0<l>", 0, everywhere)) == "1+8=#1");
  CHECK(show(tokens.find("<r>\u2003x", 0, everywhere)) == "0+6=#2");
  CHECK(show(tokens.find("\x80<l>", 0, everywhere)) == "1+3=#1");
  CHECK(show(tokens.find("a  <l>", 2, everywhere)) == "2+4=#1");  // what was passed already stays
}
