// A leader that may renew and cannot fire gives the lease back, and one that can fire takes over: an account that lost
// a right, one that has no connection left, a process without time zones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/postgres/postgres_store.h"
#include "adapters/runtime/runtime.h"
#include "adapters/runtime/schedules.h"
#include "adapters/tzdb/tzdb.h"
#include "tests/adapters/postgres/cluster.h"

namespace tenure {
namespace {

using pgtest::FreshDatabase;
using pgtest::kPatience;
using pgtest::kSecond;
using pgtest::Raw;

class SteppingAside : public ::testing::Test {
 protected:
  // Fires of a schedule that is due ten times a second, by who began them.
  struct Fires {
    void begin(std::uint32_t node) {
      const std::lock_guard lock(mutex);
      by.push_back(node);
      changed.notify_all();
    }
    bool wait_for(std::uint32_t node, std::size_t count) {
      std::unique_lock lock(mutex);
      const std::size_t before = by.size();
      return changed.wait_for(lock, std::chrono::seconds(60), [&] {
        return std::count(by.begin() + static_cast<std::ptrdiff_t>(before), by.end(), node) >=
               static_cast<std::ptrdiff_t>(count);
      });
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::uint32_t> by;
  };

  SchedulesOptions options(std::uint32_t node, const std::string& role,
                           const TimeZones* zones = nullptr) const {
    SchedulesOptions options;
    options.id = NodeId{node};
    options.resource = pgtest::kResource;
    options.connect = connect_with<PostgresStore>(
        {.connection = fmt::format("{} user={} password=pw host=localhost", database_.connection(), role),
         .zones = zones,
         .migrate = false});
    options.election.set("lease_duration", Duration::seconds(3));
    options.election.set("renew_period", Duration::seconds(1));
    options.election.set("request_timeout", Duration::seconds(1));
    options.scheduling.set("request_timeout", Duration::millis(500));
    options.scheduling.set("poll_period", Duration::millis(500));
    options.scheduling.set("stall_timeout", Duration::seconds(2));
    return options;
  }
  void SetUp() override {
    for (const std::string& role : {first_, second_}) make_role(role);
  }
  void TearDown() override {
    for (const std::string& role : {first_, second_}) drop_role(role);
  }
  void put(const Definition& definition, const TimeZones* zones = nullptr) const {
    auto opened = PostgresStore::open({.connection = database_.connection(), .zones = zones});
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<PostgresStore>>(opened));
    const auto& store = std::get<std::unique_ptr<PostgresStore>>(opened);
    ASSERT_EQ(pgtest::outcome(
                  store->execute(reference::PutSchedule{pgtest::kResource, {1}, 0, definition}, kPatience)),
              "applied");
  }
  WorkHandler work(std::uint32_t node) {
    return [this, node](const WorkItem&, WorkDoneCallback done) {
      fires_.begin(node);
      done(WorkResult::done);
    };
  }
  bool await_answer(const std::string& question, const std::string& sought) {
    for (int tries = 0; tries < 1'200; ++tries) {
      if (owner_.ask(question) == sought) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  bool await_holder(std::uint32_t node) {
    return await_answer("SELECT holder_node FROM tenure.lease", std::to_string(node));
  }
  void make_role(const std::string& role) {
    owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role));
    owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role));
  }
  void drop_role(const std::string& role) {
    owner_.ask(fmt::format("DROP OWNED BY {0} CASCADE; DROP ROLE {0}", role));
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
  const std::string first_ = database_.name() + "_first";
  const std::string second_ = database_.name() + "_second";
  Fires fires_;
};

TEST_F(SteppingAside, rights_that_one_account_loses_cost_it_the_lease_and_nobody_a_fire) {
  put({.recurrence = Interval{StoreTime{}, Duration::millis(100)}});
  Runtime first_runtime, second_runtime;
  const Schedules one(first_runtime, options(1, first_), work(1));
  ASSERT_TRUE(fires_.wait_for(1, 5));
  const Schedules two(second_runtime, options(2, second_), work(2));
  // Renewals go on; what fires is refused.
  EXPECT_EQ(owner_.ask(fmt::format(
                "REVOKE EXECUTE ON FUNCTION tenure.commit_fire, tenure.commit_fires FROM {}", first_)),
            "");
  EXPECT_TRUE(fires_.wait_for(2, 5)) << "the standby never had its turn";
}

// 53300: the connection that renews is there, and the one that fires was lost and is not given again.
TEST_F(SteppingAside, an_account_without_a_connection_left_for_fires_gives_the_lease_back) {
  put({.recurrence = Interval{StoreTime{}, Duration::millis(100)}});
  Runtime first_runtime, second_runtime;
  const Schedules one(first_runtime, options(1, first_), work(1));
  ASSERT_TRUE(fires_.wait_for(1, 5));
  const Schedules two(second_runtime, options(2, second_), work(2));
  EXPECT_EQ(owner_.ask(fmt::format("ALTER ROLE {} CONNECTION LIMIT 1", first_)), "");
  const std::string others = fmt::format(
      "FROM pg_stat_activity WHERE usename = '{}' AND query NOT ILIKE '%renew%' AND query NOT ILIKE "
      "'%acquire%'",
      first_);
  EXPECT_NE(owner_.ask("SELECT count(pg_terminate_backend(pid)) " + others), "0");
  // A backend that is ended takes a moment to be gone.
  EXPECT_TRUE(
      await_answer(fmt::format("SELECT count(*) FROM pg_stat_activity WHERE usename = '{}'", first_), "1"));
  EXPECT_TRUE(fires_.wait_for(2, 5)) << "the standby never had its turn";
}

// It leads first, since it is alone, and cannot read when anything is due.
TEST_F(SteppingAside, a_process_without_time_zones_leaves_the_lease_to_one_that_has_them) {
  const Tzdb zones;
  const auto cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("* * * * * *")));
  put({.recurrence = CronRule{.cron = cron, .zone = zones.find("Europe/Berlin")}}, &zones);
  Runtime first_runtime, second_runtime;
  const Schedules one(first_runtime, options(1, first_), work(1));
  ASSERT_TRUE(await_holder(1));
  const Schedules two(second_runtime, options(2, second_, &zones), work(2));
  EXPECT_TRUE(fires_.wait_for(2, 2)) << "the standby never had its turn";
}

}  // namespace
}  // namespace tenure
