#include "cpu_reference/loaders/json_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

TEST_CASE("JSON is read as it stands") {
  const nlohmann::json json = parse_json(R"({"a": [1, {"b": null}], "c": "d"})", 4, "x.json");
  CHECK(json.at("a").at(0) == 1);
  CHECK(json.at("a").at(1).at("b").is_null());
  CHECK(json.at("c") == "d");
}

TEST_CASE("what is no JSON is refused") {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "\xFF", "1 2"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_json(text, 4, "x.json"), contains("x.json: its JSON is not valid"));
  }
}

TEST_CASE("a key that is given twice is refused, in any object") {
  CHECK_THROWS_WITH(parse_json(R"({"a": 1, "b": {"c": 1, "c": 2}})", 4, "x.json"),
                    contains("the key c is given twice"));
  CHECK_NOTHROW(parse_json(R"([{"a": 1}, {"a": 1}, {"b": {"a": 2}, "a": 1}])", 4, "x.json"));
}

TEST_CASE("JSON may be as deep as it is said, and no deeper") {
  CHECK_NOTHROW(parse_json("[[{}]]", 3, "x.json"));
  CHECK_THROWS_WITH(parse_json("[[{}]]", 2, "x.json"), contains("nested more than 2 deep"));
  CHECK_THROWS_WITH(parse_json(std::string(1'000'000, '['), 64, "x.json"), contains("nested more than 64 deep"));
  CHECK_NOTHROW(parse_json("[[], [], [[]], []]", 3, "x.json"));  // beside each other is not deep
}

TEST_CASE("many small objects are read one after the other, and too many values are refused") {
  std::string objects = "{";
  for (int i = 0; i < 200'000; ++i) objects += fmt::format("{}\"{}\":{{}}", i == 0 ? "" : ",", i);
  CHECK(parse_json(objects + "}", 2, "x.json").size() == 200'000);
  std::string values = "[0";
  for (int i = 0; i < 4'000'000; ++i) values += ",0";
  CHECK_THROWS_WITH(parse_json(values + "]", 2, "x.json"), contains("more than 4000000 values"));
}
