// How much is read of the store for a page of events.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "tests/daemon/api/api_on_a_machine.h"

namespace tenure::daemon {
namespace {

// The store, which counts the payloads that it is asked for.
class PayloadCounter final : public PooledStore {
 public:
  explicit PayloadCounter(MachineStore& store) : store_(store) {}
  Answer ask(const reference::Request& request) override {
    if (const auto* read = std::get_if<reference::ReadPayloads>(&request)) {
      ++requests;
      payloads += read->events.size();
    }
    return store_.ask(request);
  }
  std::string identity() const override { return store_.identity(); }

  std::size_t requests = 0;
  std::size_t payloads = 0;

 private:
  MachineStore& store_;
};

// A schedule with payloads of that size, and so many events that wait.
void put_events(ApiOnAMachine& api, const std::string& name, std::size_t bytes, std::uint64_t count) {
  reference::PutNamed put;
  put.name = name;
  put.definition.recurrence = Interval{.start = {}, .period = Duration::hours(1000)};
  put.definition.delivery.kind = Delivery::Kind::pull;
  put.payload.data = '"' + std::string(bytes - 2, 'x') + '"';
  const Answer made = api.store.ask(put);
  const ScheduleId schedule = std::get<reference::NamedEdited>(made.reply).edition.schedule;
  for (std::uint64_t run = 1; run <= count; ++run)
    api.store.ask(reference::TriggerSchedule{{}, schedule, run, api.store.now});
}

Json events(ApiOnAMachine& api, PooledStore& store, const std::string& after) {
  Call call = api.call({}, {{"limit", "1000"}, {"after", after}});
  call.store = &store;
  return Json::parse(handlers::list_events(call).body);
}

TEST(Events, that_are_large_are_not_read_for_nothing) {
  ApiOnAMachine api;
  put_events(api, "large", 65'000, 300);
  PayloadCounter store(api.store);
  std::size_t seen = 0;
  std::string after = "0";
  for (bool more = true; more;) {
    const Json page = events(api, store, after);
    EXPECT_EQ(page.at("events").size(), std::min<std::size_t>(64, 300 - seen)) << "what 4 MB have room for";
    ASSERT_GT(page.at("events").size(), 0u) << "it gets on";
    seen += page.at("events").size();
    after = page.at("next");
    more = page.at("more");
  }
  EXPECT_EQ(seen, 300u);
  EXPECT_EQ(store.payloads, 300u);
}

TEST(Events, that_are_small_are_read_with_few_requests) {
  ApiOnAMachine api;
  put_events(api, "small", 100, 1'000);
  PayloadCounter store(api.store);
  const Json page = events(api, store, "0");
  EXPECT_EQ(page.at("events").size(), 1'000u);
  EXPECT_EQ(page.at("more"), false);
  EXPECT_LE(store.requests, 5u);
}

TEST(Events, that_become_large_end_the_page) {
  ApiOnAMachine api;
  put_events(api, "small", 100, 100);
  put_events(api, "large", 65'000, 200);
  PayloadCounter store(api.store);
  const Json first = events(api, store, "0");
  EXPECT_EQ(first.at("events").size(), 164u);
  EXPECT_EQ(first.at("more"), true);
  EXPECT_LE(store.payloads, 256u);
  const Json second = events(api, store, first.at("next"));
  EXPECT_EQ(second.at("events").at(0).at("seq").get<std::uint64_t>(),
            first.at("events").at(163).at("seq").get<std::uint64_t>() + 1);
}

TEST(Events, of_one_schedule_are_judged_by_one_piece) {
  ApiOnAMachine api;
  put_events(api, "mine", 65'000, 300);
  put_events(api, "other", 65'000, 1);
  PayloadCounter store(api.store);
  const auto acknowledge = [&](const Json& keys) {
    Call call = api.call(dump(Json{{"keys", keys}}));
    call.caller.prefix = "mine";
    call.store = &store;
    return handlers::acknowledge_events(call).status;
  };
  Json keys = Json::array();
  const std::int64_t slot = api.store.now.ns() / 1'000;
  for (int run = 1; run <= 300; ++run) keys.push_back(fmt::format("1/{}/{}", slot, run));
  keys.push_back(fmt::format("2/{}/1", slot));
  EXPECT_THROW(acknowledge(keys), HttpProblem) << "the last one is of another name";
  EXPECT_LE(store.payloads, 65u);
  keys.erase(300);
  EXPECT_EQ(acknowledge(keys), 204);
  EXPECT_EQ(events(api, store, "0").at("events").size(), 1u);
}

}  // namespace
}  // namespace tenure::daemon
