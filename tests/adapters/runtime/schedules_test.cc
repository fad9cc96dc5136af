// Fires for a program of one's own, on a real SQLite file.
#include "adapters/runtime/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/sqlite/sqlite_store.h"
#include "tests/adapters/runtime/said.h"
#include "tests/support/temporary.h"

namespace tenure {
namespace {

constexpr Duration kPeriod = Duration::millis(100);

class SchedulesTest : public ::testing::Test {
 protected:
  Connect connect() { return connect_with<SqliteStore>({.path = folder_.path() + "/tenure.db"}); }
  SchedulesOptions options(std::uint32_t id, std::uint32_t resource = 0) {
    SchedulesOptions options{.id = NodeId{id}, .resource = ResourceId{resource}, .connect = connect()};
    testing::be_quicker(options.election);
    options.scheduling.set("poll_period", Duration::millis(100));
    return options;
  }
  // Of a leader that does not lose its lease where the machine stands still for a moment.
  SchedulesOptions patient(std::uint32_t id) {
    SchedulesOptions chosen = options(id);
    chosen.election.set("lease_duration", Duration::seconds(10));
    chosen.election.set("request_timeout", Duration::seconds(2));
    return chosen;
  }
  void put(std::uint32_t resource = 0) {
    auto client = connect()();
    const reference::PutSchedule request{
        .resource = ResourceId{resource},
        .schedule = ScheduleId{1},
        .expected_version = 0,
        .definition = {.recurrence = Interval{.start = {}, .period = kPeriod}}};
    ASSERT_EQ(std::get<std::unique_ptr<StoreBackend>>(client)->execute(request, Duration::seconds(5)).outcome,
              RequestOutcome::applied);
  }
  // A function that remembers what it was called for, under a name; `how` says what becomes of the work.
  WorkHandler remember(const std::string& name, std::function<void(WorkDoneCallback)> how) {
    return [this, name, how](const WorkItem& fire, WorkDoneCallback done) {
      {
        const std::lock_guard lock(mutex_);
        fires_.push_back({name, fire.event, fire.token->epoch});
      }
      wake_.notify_all();
      how(std::move(done));
    };
  }
  static void at_once(const WorkDoneCallback& done) { done(WorkResult::done); }
  bool await(const std::string& name, std::ptrdiff_t count) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(30), [&] {
      return std::count_if(fires_.begin(), fires_.end(),
                           [&](const Fire& fire) { return fire.name == name; }) >= count;
    });
  }

  struct Fire {
    std::string name;
    reference::EventId event;
    std::uint64_t epoch = 0;
  };
  std::vector<Fire> fires() {
    const std::lock_guard lock(mutex_);
    return fires_;
  }

  std::vector<Fire> fires_of(const std::string& name) {
    std::vector<Fire> found = fires();
    std::erase_if(found, [&](const Fire& fire) { return fire.name != name; });
    return found;
  }

  testing::TemporaryFolder folder_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Fire> fires_;
};

TEST_F(SchedulesTest, begins_each_slot_once_on_one_and_on_another_when_it_is_destroyed) {
  put();
  Runtime first;
  Runtime second;
  auto one = std::make_unique<Schedules>(first, patient(1), remember("one", at_once));
  ASSERT_TRUE(await("one", 3));
  Schedules two(second, patient(2), remember("two", at_once));
  one.reset();
  const std::size_t called = fires_of("one").size();
  ASSERT_TRUE(await("two", 3));
  second.stop();
  EXPECT_TRUE(second.wait(Duration::seconds(30)));

  std::set<reference::EventId> events;
  for (const Fire& fire : fires()) {
    EXPECT_TRUE(events.insert(fire.event).second) << fire.event.slot.ns();
    EXPECT_EQ(fire.epoch, fire.name == "one" ? 1U : 2U);
  }
  EXPECT_EQ(fires_of("one").size(), called) << "called after it was destroyed";
  // No slot between the two is missing.
  EXPECT_EQ(events.rbegin()->slot - events.begin()->slot,
            kPeriod * static_cast<std::int64_t>(events.size() - 1));
}

TEST_F(SchedulesTest, go_on_when_those_of_their_id_that_they_follow_are_destroyed) {
  put();
  Runtime runtime;
  auto schedules = std::make_unique<Schedules>(runtime, options(1), remember("one", at_once));
  ASSERT_TRUE(await("one", 1));
  runtime.stop(NodeId{1});
  schedules = std::make_unique<Schedules>(runtime, options(1), remember("next", at_once));
  EXPECT_TRUE(await("next", 3));
}

TEST_F(SchedulesTest, begins_again_what_a_leader_that_died_had_not_finished) {
  put();
  auto first = std::make_unique<Runtime>();
  auto one = std::make_unique<Schedules>(*first, options(1), remember("one", [](const WorkDoneCallback&) {}));
  ASSERT_TRUE(await("one", 1));
  one.reset();
  first.reset();  // as a crash: the work has not come back, so the lease is not given back
  const reference::EventId lost = fires().front().event;
  Runtime second;
  Schedules two(second, options(2), remember("two", at_once));
  ASSERT_TRUE(await("two", 3));
  const std::vector<Fire> all = fires();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [&](const Fire& fire) { return fire.name == "two" && fire.event == lost; }));
}

TEST_F(SchedulesTest, hears_once_that_work_is_done_however_often_it_is_said) {
  put();
  std::ptrdiff_t begun = 0;
  std::ptrdiff_t done = 0;
  Runtime runtime([&](std::string_view line) {
    begun += line.find("\"event\":\"work\",") != std::string_view::npos ? 1 : 0;
    done += line.find("\"event\":\"work-done\",") != std::string_view::npos ? 1 : 0;
  });
  Schedules schedules(runtime, options(1), remember("one", [](const WorkDoneCallback& say) {
                        say(WorkResult::done);
                        say(WorkResult::done);
                      }));
  ASSERT_TRUE(await("one", 3));
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  EXPECT_EQ(done, begun);
}

TEST_F(SchedulesTest, keeps_the_lease_until_the_work_has_come_back) {
  put();
  std::mutex mutex;
  std::vector<WorkDoneCallback> running;
  Runtime runtime;
  Schedules schedules(runtime, options(1), remember("one", [&](WorkDoneCallback done) {
                        const std::lock_guard lock(mutex);
                        running.push_back(std::move(done));
                      }));
  ASSERT_TRUE(await("one", 1));
  runtime.stop();
  EXPECT_FALSE(runtime.wait(Duration::millis(200)));
  {
    const std::lock_guard lock(mutex);
    for (const WorkDoneCallback& done : running)
      std::thread(done, WorkResult::done).join();  // from any thread
  }
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
}

using SchedulesDeathTest = SchedulesTest;

TEST_F(SchedulesDeathTest, unsafe_parameters_are_refused_unless_they_are_accepted_by_name) {
  SchedulesOptions chosen = options(1);
  EXPECT_EQ(chosen.problem(), "");
  chosen.election.set("renew_period", Duration::millis(700));
  EXPECT_DEATH(
      {
        Runtime runtime;
        const Schedules schedules(runtime, chosen, remember("one", at_once));
      },
      "renew-beyond-belief");
  chosen.accept = {"renew-beyond-belief"};
  EXPECT_EQ(chosen.problem(), "");
  chosen.scheduling.set("stall_timeout", Duration::seconds(1));
  EXPECT_NE(chosen.problem().find("stall-within-requests"), std::string::npos) << chosen.problem();
  chosen.accept.emplace_back("stall-within-requests");
  EXPECT_EQ(chosen.problem(), "");
  EXPECT_TRUE(chosen.warnings().empty());
  chosen.scheduling.set("poll_period", Duration::seconds(2));
  chosen.scheduling.set("clock_hold", Duration::seconds(1));
  EXPECT_EQ(chosen.problem(), "");
  ASSERT_EQ(chosen.warnings().size(), 1U);
  EXPECT_NE(chosen.warnings().front().find("hold-within-a-poll"), std::string::npos);
  chosen.scheduling.set("poll_period", Duration::nanos(-1));
  EXPECT_NE(chosen.problem().find("poll_period (-1ns) is less than "), std::string::npos) << chosen.problem();
}

TEST_F(SchedulesTest, of_several_resources_run_in_one_process) {
  put(1);
  put(2);
  Runtime runtime;
  Schedules one(runtime, options(1, 1), remember("one", at_once));
  Schedules two(runtime, options(2, 2), remember("two", at_once));
  EXPECT_TRUE(await("one", 2));
  EXPECT_TRUE(await("two", 2));
}

// The loop writes the journal. It stands still in the line that says that work begins, for longer than the lease: when
// it goes on, another leader has the event in hand.
TEST_F(SchedulesTest, begins_nothing_that_was_decided_in_a_leadership_that_is_over) {
  put();
  std::mutex gate;
  std::condition_variable opened;
  bool stands = false;
  bool open = false;
  Runtime first([&](std::string_view line) {
    if (line.find("\"event\":\"work\",") == std::string_view::npos) return;
    std::unique_lock lock(gate);
    stands = true;
    opened.notify_all();
    opened.wait(lock, [&] { return open; });
  });
  Runtime second;
  Schedules one(first, options(1), remember("one", at_once));
  {
    std::unique_lock lock(gate);
    ASSERT_TRUE(opened.wait_for(lock, std::chrono::seconds(30), [&] { return stands; }));
  }
  Schedules two(second, options(2), remember("two", at_once));
  ASSERT_TRUE(await("two", 3));
  {
    const std::lock_guard lock(gate);
    open = true;
  }
  opened.notify_all();
  second.stop();
  EXPECT_TRUE(second.wait(Duration::seconds(30)));
  ASSERT_TRUE(await("one", 1)) << "it leads again";
  EXPECT_GE(fires_of("one").front().epoch, 3U);
}

}  // namespace
}  // namespace tenure
