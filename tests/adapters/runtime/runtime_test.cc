// Nodes on real clocks, real threads and a real SQLite file.
#include "adapters/runtime/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "adapters/runtime/election.h"
#include "adapters/runtime/listener_thread.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/tzdb/tzdb.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "lab/audit/audit.h"
#include "tests/adapters/runtime/said.h"
#include "tests/support/temporary.h"

namespace tenure {
namespace {

using Json = nlohmann::json;
using testing::TemporaryFolder;

constexpr Duration kLease = Duration::millis(800);

// What several runtimes write, as several processes of one machine would; and a way to wait for a line.
class Lines {
 public:
  JournalSink sink() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      text_.append(line) += '\n';
      lines_.push_back(Json::parse(line));
      wake_.notify_all();
    };
  }
  // Until `event` was seen `count` times. False: not within half a minute.
  bool await(const std::string& event, int count) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(30), [&] {
      return std::count_if(lines_.begin(), lines_.end(),
                           [&](const Json& line) { return line["event"] == event; }) >= count;
    });
  }
  bool await_leader(std::uint64_t epoch) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(30), [&] {
      return std::any_of(lines_.begin(), lines_.end(), [&](const Json& line) {
        return line["event"] == "believes" && line["epoch"].get<std::uint64_t>() >= epoch;
      });
    });
  }
  // As `tenure audit` reads it.
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  std::vector<Json> all() {
    const std::lock_guard lock(mutex_);
    std::vector<Json> sorted = lines_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Json& a, const Json& b) {
      return a["mono"].get<std::int64_t>() < b["mono"].get<std::int64_t>();
    });
    return sorted;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Json> lines_;
  std::string text_;
};

class RuntimeTest : public ::testing::Test {
 protected:
  Connect connect() {
    return connect_with<SqliteStore>({.path = folder_.path() + "/tenure.db", .zones = &zones_});
  }
  HostedNode node(std::uint32_t id, bool schedules = false, Duration lease = kLease) {
    const NodeId self{id};
    Parameters election(kFencedLease.parameters());
    testing::be_quicker(election);
    election.set("lease_duration", lease);
    const Parameters scheduling(kFencedOutbox.parameters());
    std::map<std::string, std::int64_t> settings;  // for the audit
    note_settings("election", election, settings);
    auto elector = kFencedLease.make({.self = self, .store = {}, .resource = {}, .parameters = election});
    std::unique_ptr<Scheduler> scheduler;
    if (schedules) {
      note_settings("scheduling", scheduling, settings);
      scheduler = kFencedOutbox.make({.store = {}, .resource = {}, .parameters = scheduling});
    }
    return {.node = std::make_unique<Instance>(std::move(elector), std::move(scheduler)),
            .id = self,
            .connect = connect(),
            .work = {},
            .observe = {},
            .settings = std::move(settings)};
  }
  // The simulator's checkers find nothing wrong with what was written, and had something to look at.
  void expect_all_is_well() {
    auto journal = lab::read_journal("journal", lines_.text());
    ASSERT_TRUE(std::holds_alternative<lab::NodeJournal>(journal))
        << std::get<lab::BadJournal>(journal).message;
    const auto audited = lab::audit({std::get<lab::NodeJournal>(std::move(journal))});
    ASSERT_TRUE(std::holds_alternative<lab::Audit>(audited)) << std::get<lab::BadJournal>(audited).message;
    const auto& audit = std::get<lab::Audit>(audited);
    EXPECT_EQ(audit.verdict, sim::Verdict::pass) << ::testing::PrintToString(audit.lacking);
    for (const sim::CheckResult& check : audit.checks)
      for (const sim::ReportedViolation& violation : check.violations)
        ADD_FAILURE() << check.name << ": " << violation.message;
  }

  TemporaryFolder folder_;
  Tzdb zones_;
  Lines lines_;
};

TEST_F(RuntimeTest, elects_one_of_three_and_another_when_it_stops) {
  std::vector<std::unique_ptr<Runtime>> runtimes;
  for (std::uint32_t id = 0; id < 3; ++id) {
    runtimes.push_back(std::make_unique<Runtime>(lines_.sink()));
    runtimes.back()->add(node(id));
  }
  ASSERT_TRUE(lines_.await_leader(1));
  for (std::uint64_t epoch = 1; epoch <= 2; ++epoch) {
    std::uint32_t leader = 0;
    for (const Json& line : lines_.all())
      if (line["event"] == "believes") leader = line["node"];
    runtimes[leader]->stop();
    EXPECT_TRUE(runtimes[leader]->wait(Duration::seconds(30)));
    ASSERT_TRUE(lines_.await_leader(epoch + 1));
  }
  runtimes.clear();
  expect_all_is_well();
}

TEST_F(RuntimeTest, waits_for_the_lease_of_one_that_died) {
  auto first = std::make_unique<Runtime>(lines_.sink());
  first->add(node(0));
  ASSERT_TRUE(lines_.await_leader(1));
  Runtime second(lines_.sink());
  second.add(node(1));
  ASSERT_TRUE(lines_.await("started", 2));
  first.reset();  // as a crash: nothing is released
  ASSERT_TRUE(lines_.await_leader(2));
  second.stop();
  EXPECT_TRUE(second.wait(Duration::seconds(30)));
  expect_all_is_well();

  std::int64_t last_belief = 0;
  std::int64_t next = 0;
  for (const Json& line : lines_.all()) {
    if (line["event"] == "believes" && line["node"] == 0) last_belief = line["until_mono"];
    if (line["event"] == "believes" && line["node"] == 1 && next == 0) next = line["mono"];
  }
  EXPECT_GE(next, last_belief);
}

TEST_F(RuntimeTest, does_the_work_of_each_slot_once) {
  const auto client = connect()();
  StoreBackend& store = *std::get<std::unique_ptr<StoreBackend>>(client);
  const reference::PutSchedule put{
      .resource = {},
      .schedule = ScheduleId{7},
      .expected_version = 0,
      .definition = {.recurrence = Interval{.start = {}, .period = Duration::millis(250)}}};
  ASSERT_EQ(store.execute(put, Duration::seconds(5)).outcome, RequestOutcome::applied);

  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::int64_t> done;
  Runtime runtime(lines_.sink());
  HostedNode hosted = node(0, true, Duration::seconds(10));  // who loses it begins its work again
  hosted.work = [&](const WorkItem& item, const WorkDoneCallback& finished) {
    {
      const std::lock_guard lock(mutex);
      done.push_back(item.event.slot.ns());
    }
    wake.notify_all();
    finished(WorkResult::done);
  };
  runtime.add(std::move(hosted));
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(wake.wait_for(lock, std::chrono::seconds(30), [&] { return done.size() >= 6; }));
  }
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  expect_all_is_well();
  const std::lock_guard lock(mutex);
  EXPECT_EQ(std::set<std::int64_t>(done.begin(), done.end()).size(), done.size());
  for (std::size_t i = 1; i < done.size(); ++i) EXPECT_EQ(done[i] - done[i - 1], Duration::millis(250).ns());
}

TEST_F(RuntimeTest, says_what_keeps_it_from_its_store_and_goes_on) {
  Runtime runtime(lines_.sink());
  HostedNode hosted = node(0);
  std::atomic<int> tries = 0;
  hosted.connect = [&, good = connect()]() -> ConnectionOpened {
    if (++tries <= 2) return OpenError{StoreError::unreachable, "nobody home"};
    return good();
  };
  runtime.add(std::move(hosted));
  ASSERT_TRUE(lines_.await_leader(1));
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  int told = 0;
  for (const Json& line : lines_.all())
    if (line["event"] == "answered" && line["text"] == "nobody home") ++told;
  EXPECT_EQ(told, 2);
}

// A belief that is counted on a clock that hardly moves lasts too long, and the checkers see it. The slow one does not
// renew while the test runs: whatever the machine does meanwhile, it believes still when the other one leads.
TEST_F(RuntimeTest, journals_show_what_a_clock_that_is_too_slow_does) {
  Runtime slow(lines_.sink(), say_on_stderr, {.rate_ppm = -999'000, .wall_offset = {}});
  slow.add(node(0));
  ASSERT_TRUE(lines_.await_leader(1));
  Runtime right(lines_.sink());
  right.add(node(1));
  ASSERT_TRUE(lines_.await_leader(2));
  slow.stop();  // its last lines show what its clock reads by now
  EXPECT_TRUE(slow.wait(Duration::seconds(30)));
  auto journal = lab::read_journal("journal", lines_.text());
  const auto audited = lab::audit({std::get<lab::NodeJournal>(std::move(journal))});
  const auto& audit = std::get<lab::Audit>(audited);
  const auto seen = std::find_if(audit.checks.begin(), audit.checks.end(),
                                 [](const sim::CheckResult& check) { return check.name == "one-believer"; });
  EXPECT_GT(seen->violation_count, 0U);
  EXPECT_EQ(audit.verdict, sim::Verdict::fail);
}

TEST_F(RuntimeTest, writes_down_that_a_node_has_heard_that_it_is_to_stop) {
  Runtime runtime(lines_.sink());
  runtime.add(node(1));
  ASSERT_TRUE(lines_.await_leader(1));
  runtime.stop();
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  const std::vector<Json> lines = lines_.all();
  const auto heard = std::find_if(lines.begin(), lines.end(),
                                  [](const Json& line) { return line["event"] == "stop-heard"; });
  ASSERT_NE(heard, lines.end());
  EXPECT_TRUE(std::all_of(heard + 1, lines.end(), [](const Json& line) {
    return line["event"] != "stop-heard";
  })) << "once";
}

TEST_F(RuntimeTest, closes_the_connections_of_nodes_that_have_stopped) {
  // Counts those that are open.
  class Counted final : public StoreBackend {
   public:
    Counted(std::unique_ptr<StoreBackend> real, std::atomic<int>& open)
        : real_(std::move(real)), open_(open) {
      ++open_;
    }
    ~Counted() override { --open_; }
    Answer execute(const reference::Request& request, Duration timeout) override {
      return real_->execute(request, timeout);
    }
    std::optional<StoreAudit> audit(ResourceId resource) override { return real_->audit(resource); }

   private:
    std::unique_ptr<StoreBackend> real_;
    std::atomic<int>& open_;
  };
  std::atomic<int> open = 0;
  Runtime runtime(lines_.sink());
  for (std::uint32_t id = 0; id < 5; ++id) {
    HostedNode hosted = node(id);
    hosted.connect = [&, real = connect()]() -> ConnectionOpened {
      ConnectionOpened opened = real();
      return std::make_unique<Counted>(std::get<std::unique_ptr<StoreBackend>>(std::move(opened)), open);
    };
    runtime.add(std::move(hosted));
    ASSERT_TRUE(lines_.await_leader(id + 1));
    runtime.stop(NodeId{id});
    EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  }
  const MachineClock clock;
  const MonoTime late = clock.mono() + Duration::seconds(30);
  while (open > 0 && clock.mono() < late) std::this_thread::yield();
  EXPECT_EQ(open, 0);
}

TEST_F(RuntimeTest, does_not_wait_for_a_listener_that_is_connecting) {
  // Connects for as long as it may.
  class Connecting final : public Listener {
   public:
    Connecting(std::atomic<bool>& began, std::atomic<bool>& gave_up) : began_(began), gave_up_(gave_up) {}
    ListenerEvent wait(Duration) override {
      began_ = true;
      const MachineClock clock;
      const MonoTime late = clock.mono() + Duration::seconds(30);
      while (!over_.stop_requested() && clock.mono() < late) std::this_thread::yield();
      if (!over_.stop_requested()) gave_up_ = true;
      return {};
    }

   private:
    std::atomic<bool>& began_;
    std::atomic<bool>& gave_up_;
  };
  std::atomic<bool> began = false;
  std::atomic<bool> gave_up = false;
  {
    Runtime runtime;
    runtime.listen(std::make_unique<Connecting>(began, gave_up));
    while (!began) std::this_thread::yield();
  }
  EXPECT_FALSE(gave_up);
}

// It may be no more than the end itself, which nobody needs to be told of.
TEST(ListenerThread, says_nothing_of_what_a_listener_says_once_it_was_told_to_end) {
  class Ended final : public Listener {
   public:
    explicit Ended(std::atomic<bool>& began) : began_(began) {}
    ListenerEvent wait(Duration) override {
      began_ = true;
      while (!over_.stop_requested()) std::this_thread::yield();
      return {.notifications = {}, .missed = true, .trouble = "stopped before anything answered"};
    }

   private:
    std::atomic<bool>& began_;
  };
  std::atomic<bool> began = false;
  std::atomic<int> told = 0;
  {
    const ListenerThread ear(std::make_unique<Ended>(began), [&](const ListenerEvent&) { ++told; });
    while (!began) std::this_thread::yield();
  }
  EXPECT_EQ(told, 0);
}

using RuntimeDeathTest = RuntimeTest;

// It would compete with itself, and stop() could not tell the two apart.
TEST_F(RuntimeDeathTest, two_participants_with_one_id_are_refused) {
  EXPECT_DEATH(
      {
        Runtime runtime;
        runtime.add(node(4));
        runtime.add(node(4));
      },
      "two participants of this runtime have the id 4");
}

// One of them would never lead: the other has the lease.
TEST_F(RuntimeDeathTest, two_participants_over_one_resource_are_refused) {
  EXPECT_DEATH(
      {
        Runtime runtime;
        runtime.add(node(4));
        runtime.add(node(5));
      },
      "participants 4 and 5 of this runtime have the same resource 0");
}

TEST_F(RuntimeTest, a_participant_that_was_asked_to_stop_gives_way_to_another_of_its_id) {
  Runtime runtime(lines_.sink());
  runtime.add(node(4));
  ASSERT_TRUE(lines_.await_leader(1));
  runtime.stop(NodeId{4});
  runtime.add(node(4));
  ASSERT_TRUE(lines_.await_leader(2));
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  expect_all_is_well();
}

TEST(MachineClock, runs_at_the_rate_and_the_offset_that_a_test_gives_it) {
  const MachineClock right;
  const MachineClock quick({.rate_ppm = 1'000'000, .wall_offset = Duration::hours(1)});
  const MonoTime quick_before = quick.mono();
  const MonoTime right_before = right.mono();
  while (right.mono() - right_before < Duration::millis(5)) {
  }
  const Duration by_right = right.mono() - right_before;
  EXPECT_GE(quick.mono() - quick_before, by_right * 2);
  EXPECT_GE(quick.wall() - right.wall(), Duration::minutes(59));
}

}  // namespace
}  // namespace tenure
