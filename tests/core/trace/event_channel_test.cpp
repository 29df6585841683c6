#include "core/trace/event_channel.h"

#include <thread>

#include "tests/support/catch.h"

using namespace kvarium;

TEST_CASE("a channel hands over what has come, once and in order") {
  EventChannel channel;
  std::vector<Event> batch;
  CHECK_FALSE(channel.take(batch));
  channel.emit(StepStarted{1});
  channel.emit(StepStarted{2});
  CHECK(channel.take(batch));
  CHECK(batch == std::vector<Event>{StepStarted{1}, StepStarted{2}});
  CHECK_FALSE(channel.take(batch));
  CHECK(batch.empty());
}

TEST_CASE("a channel loses nothing between two threads") {
  constexpr std::uint64_t kEvents = 20000;
  EventChannel channel;
  std::thread engine([&channel] {
    for (std::uint64_t step = 1; step <= kEvents; ++step) channel.emit(StepStarted{step});
  });
  std::vector<Event> batch;
  std::uint64_t taken = 0;
  bool in_order = true;
  while (taken < kEvents) {
    if (!channel.take(batch)) std::this_thread::yield();
    for (const Event& event : batch) in_order = in_order && std::get<StepStarted>(event).step == ++taken;
  }
  engine.join();
  CHECK(in_order);
  CHECK_FALSE(channel.take(batch));
}
