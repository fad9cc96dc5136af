#include "tests/adapters/conformance/concurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/reference_store.h"
#include "tests/adapters/conformance/client.h"
#include "tests/adapters/conformance/show.h"

namespace tenure::conformance {
namespace {

struct Event {
  reference::Request request;
  Answer answer;
};

ResourceId resource_of(const reference::Request& request) {
  return std::visit([](const auto& asked) { return asked.resource; }, request);
}

// What one client did, in its order.
std::vector<Event> act(StoreBackend& connection, std::uint32_t self, std::uint32_t operations,
                       const std::function<StoreTime()>& now_about) {
  Client client(self);
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < operations; ++i) {
    const std::uint64_t bits = mix64(mix64(self, i), 20'260'101);
    const Operation operation{static_cast<std::uint32_t>(bits) % 1'000'000,
                              static_cast<std::uint32_t>(bits >> 32) % 1'000'000,
                              static_cast<std::uint32_t>(mix64(bits, 1)) % 1'000'000};
    const reference::Request request = client.ask(operation, now_about());
    const Answer answer = connection.execute(request, Duration::seconds(60));
    if (answer.outcome == RequestOutcome::applied) client.learn(request, answer.reply);
    events.push_back({request, answer});
  }
  return events;
}

bool of_the_lease(const reference::Request& request) {
  return std::holds_alternative<reference::Acquire>(request) ||
         std::holds_alternative<reference::Renew>(request) ||
         std::holds_alternative<reference::Release>(request);
}

// In the order of commits, and numbered, and, if the clock goes up, with times that show that it was read behind the
// lock.
class Order {
 public:
  Order(bool one_by_one, ClockGoes clock) : one_by_one_(one_by_one), clock_(clock) {}

  std::optional<std::string> objection(const Event& event) {
    const Answer& answer = event.answer;
    if (!answer.changed) return std::nullopt;
    const bool apart = !one_by_one_ && of_the_lease(event.request);
    Last& last = last_[{resource_of(event.request), apart}];
    const Last before = std::exchange(last, {answer.position, answer.store_time});
    if (one_by_one_ ? answer.position != before.position + 1 : answer.position <= before.position)
      return fmt::format("change {} came after {}", answer.position, before.position);
    if (clock_ == ClockGoes::up && answer.store_time < before.time)
      return fmt::format("change {} is from before the one before it: the clock was read without the lock",
                         answer.position);
    return std::nullopt;
  }

 private:
  struct Last {
    std::uint64_t position = 0;
    StoreTime time;
  };
  bool one_by_one_;
  ClockGoes clock_;
  std::map<std::pair<ResourceId, bool>, Last> last_;
};

std::optional<std::string> differences(std::vector<Event> events, bool one_by_one, ClockGoes clock) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::pair(a.answer.position, !a.answer.changed) < std::pair(b.answer.position, !b.answer.changed);
  });
  reference::ReferenceStore machine = reference::ReferenceStore::with_history();
  std::vector<Notification> heard;
  Order order(one_by_one, clock);
  for (const Event& event : events) {
    const Answer& answer = event.answer;
    if (answer.outcome != RequestOutcome::applied) return "not applied: " + answer.message;
    if (auto objection = order.objection(event)) return objection;
    const reference::Reply expected =
        std::get<reference::Reply>(machine.apply(event.request, answer.store_time, heard));
    if (show(expected) != show(answer.reply))
      return fmt::format("at position {}: {}\n  machine {}\n  engine  {}", answer.position,
                         show(event.request), show(expected), show(answer.reply));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> difference_when_concurrent(const Engine& engine, std::uint32_t clients,
                                                      std::uint32_t operations, ClockGoes clock) {
  const std::unique_ptr<Database> database = engine.make();
  std::atomic<std::int64_t> readings = 0;
  const auto time_of = [clock](std::int64_t reading) {
    return StoreTime{} + Duration::seconds(1'774'745'900) + Duration::micros(clock_reading(reading, clock));
  };
  std::vector<std::unique_ptr<StoreBackend>> connections;
  for (std::uint32_t i = 0; i < clients; ++i) {
    connections.push_back(
        database->connect_beside_others([&] { return time_of(readings.fetch_add(1)); }, clock));
    if (connections.back() == nullptr) return "no connection";
  }
  std::vector<std::vector<Event>> histories(clients);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      histories[i] = act(*connections[i], i + 1, operations, [&] { return time_of(readings.load()); });
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<Event> all;
  for (auto& history : histories) std::move(history.begin(), history.end(), std::back_inserter(all));
  return differences(std::move(all), engine.one_by_one, clock);
}

}  // namespace tenure::conformance
