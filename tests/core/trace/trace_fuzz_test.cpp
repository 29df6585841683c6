// A trace from a file may say anything. Whatever it says: an InputError of one line, or a trace that can be folded,
// played, described and checked without a fault (the sanitizers of the debug build watch).

#include <algorithm>
#include <random>
#include <sstream>

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/trace/event_fields.h"
#include "core/trace/event_json.h"
#include "core/trace/invariants.h"
#include "core/trace/timeline.h"
#include "core/trace/trace_io.h"
#include "tests/support/catch.h"
#include "tests/support/serving_run.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

std::string recorded_text(std::uint64_t seed) {
  VectorSink sink;
  sink.emit(ModelDescribed{{.name = "tiny", .layers = 2}});
  sink.emit(ArenaCreated{100});
  sink.emit(TokenNamed{TokenId{3}, " cat"});
  ServingRun run({}, seed, sink);
  for (int i = 0; i < 12; ++i) run.step();
  sink.emit(Said{"Words.", {"block:3"}});
  sink.emit(Asked{"How many?", {"1", "2"}, "2"});
  std::string text = "{\"kvarium_trace\":3}\n";
  for (const Event& event : sink.events) text += to_json_line(event) + "\n";
  return text;
}

/// Looks at everything that can be made of a trace.
void look_at(const Trace& trace) {
  Timeline timeline;
  timeline.follow(trace);
  World world;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    describe(trace[n], world);
    fold(world, trace[n]);
  }
  REQUIRE(world == trace.newest());
  violations(world);
  text_twin(world);
  read_steps(world);
  for (const auto& request : world.requests) {
    text_twin(world, request->id);
    show_slot(world, request->id, UINT32_MAX);
    timeline.lane(request->id);
    timeline.held(request->id, timeline.last_step());
  }
  timeline.holders(timeline.last_step());
}

/// One random change to the bytes: a flip, a cut, a repetition, a number that is out of bounds, or two lines exchanged.
void mutate(std::string& text, std::mt19937_64& random) {
  const auto place = [&] { return static_cast<std::size_t>(random() % text.size()); };
  const auto digits = [&](std::size_t from) { return text.find_first_of("0123456789", from); };
  switch (random() % 6) {
    case 0:
      text[place()] ^= static_cast<char>(1U << (random() % 8));
      break;
    case 1:
      text.erase(place(), 1 + random() % 20);
      break;
    case 2: {
      const std::size_t from = place();
      text.insert(place(), text.substr(from, random() % 200));
      break;
    }
    case 3:
    case 4: {  // most of what is wrong in a real file is a number
      static const char* const kNumbers[] = {
          "0", "1", "-1", "4294967295", "4294967296", "18446744073709551615", "1e9", "7", "2147483648"};
      const std::size_t at = digits(place());
      if (at == std::string::npos) break;
      const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
      text.replace(at, end - at, kNumbers[random() % std::size(kNumbers)]);
      break;
    }
    default: {  // a line moves
      const std::size_t start = text.rfind('\n', place());
      if (start == std::string::npos) break;
      const std::size_t end = text.find('\n', start + 1);
      if (end == std::string::npos) break;
      const std::string line = text.substr(start, end - start);
      text.erase(start, end - start);
      const std::size_t to = text.find('\n', place());
      if (to != std::string::npos) text.insert(to, line);
    }
  }
  if (text.empty()) text = "\n";
}

/// Fills fields with small numbers, so that many events can follow, and now and then with the largest.
struct RandomFields {
  std::mt19937_64& random;

  std::uint64_t number() {
    const std::uint64_t draw = random() % 100;
    return draw == 0 ? UINT64_MAX : draw == 1 ? UINT32_MAX : random() % 6;
  }
  void operator()(std::string_view, bool& field) { field = random() % 2 == 0; }
  void operator()(std::string_view, std::string& field) { field = random() % 2 == 0 ? "x" : "\x1B\n"; }
  template <typename T>
  void operator()(std::string_view name, std::vector<T>& field) {
    field.resize(random() % 6);
    for (T& item : field) (*this)(name, item);
  }
  template <typename T>
  void operator()(std::string_view, T& field) {
    if constexpr (requires { EnumNames<T>::kNames; }) {
      field = static_cast<T>(random() % EnumNames<T>::kNames.size());
    } else if constexpr (std::is_enum_v<T>) {
      field = T{static_cast<std::underlying_type_t<T>>(number())};
    } else if constexpr (std::is_integral_v<T>) {
      field = static_cast<T>(number());
    } else if constexpr (std::is_same_v<T, double>) {
      field = static_cast<double>(number()) / 4;
    } else {
      Fields<T>::each(field, *this);
    }
  }
};

template <std::size_t... kinds>
Event random_event(std::mt19937_64& random, std::index_sequence<kinds...>) {
  Event event;
  const std::size_t kind = random() % sizeof...(kinds);
  ((kind == kinds ? (void)event.emplace<kinds>() : (void)0), ...);
  std::visit([&](auto& e) { Fields<std::decay_t<decltype(e)>>::each(e, RandomFields{random}); }, event);
  return event;
}

}  // namespace

TEST_CASE("a damaged trace is one clear line, or a trace that can be looked at") {
  const std::uint64_t seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const std::string good = recorded_text(9);
  int refused = 0, read = 0;
  for (int run = 0; run < 600; ++run) {
    std::string text = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) mutate(text, random);
    std::istringstream in(text);
    try {
      look_at(*read_trace(in, "t.jsonl").trace);
      ++read;
    } catch (const InputError& error) {
      ++refused;
      REQUIRE_THAT(error.what(), contains("t.jsonl"));
      REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
      REQUIRE(std::string(error.what()).size() < 400);
    }
  }
  CHECK(refused > 100);
  CHECK(read > 10);
}

TEST_CASE("random events are refused, the trace as it was, or make a trace that can be looked at") {
  const std::uint64_t seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int run = 0; run < 20; ++run) {
    Trace trace;
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      const std::size_t size = trace.size();
      const bool watched = i % 50 == 0;
      const World before = watched ? trace.newest() : World{};
      try {
        trace.emit(random_event(random, std::make_index_sequence<std::variant_size_v<Event>>()));
      } catch (const MisuseError&) {
        ++refused;
        REQUIRE(trace.size() == size);
        if (watched) REQUIRE(trace.newest() == before);
      }
    }
    CHECK(refused > 0);
    look_at(trace);
  }
}
