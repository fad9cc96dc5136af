// A leader whose account may renew and may not commit gives the lease back, and one that may commit takes over.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/runtime/runtime.h"
#include "adapters/runtime/schedules.h"
#include "tests/adapters/postgres/cluster.h"

namespace tenure {
namespace {

using pgtest::FreshDatabase;
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
      return changed.wait_for(lock, std::chrono::seconds(20), [&] {
        return std::count(by.begin() + static_cast<std::ptrdiff_t>(before), by.end(), node) >=
               static_cast<std::ptrdiff_t>(count);
      });
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::uint32_t> by;
  };

  SchedulesOptions options(std::uint32_t node, const std::string& role) const {
    SchedulesOptions options;
    options.id = NodeId{node};
    options.resource = pgtest::kResource;
    options.connect = connect_with<PostgresStore>(
        {.connection = fmt::format("{} user={} password=pw host=localhost", database_.connection(), role),
         .migrate = false});
    options.election.set("lease_duration", Duration::seconds(3));
    options.election.set("renew_period", Duration::seconds(1));
    options.election.set("request_timeout", Duration::seconds(1));
    options.scheduling.set("request_timeout", Duration::millis(500));
    options.scheduling.set("poll_period", Duration::millis(500));
    options.scheduling.set("stall_timeout", Duration::seconds(2));
    return options;
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
  Fires fires_;
};

TEST_F(SteppingAside, rights_that_one_account_loses_cost_it_the_lease_and_nobody_a_fire) {
  const std::string first = database_.name() + "_first";
  const std::string second = database_.name() + "_second";
  for (const std::string& role : {first, second}) make_role(role);
  const Definition often{.recurrence = Interval{StoreTime{}, Duration::millis(100)}};
  ASSERT_EQ(pgtest::outcome(
                database_.open()->execute(house::PutSchedule{pgtest::kResource, {1}, 0, often}, kSecond)),
            "applied");
  {
    Runtime first_runtime, second_runtime;
    const auto work = [this](std::uint32_t node) {
      return [this, node](const WorkItem&, WorkDoneCallback done) {
        fires_.begin(node);
        done(WorkResult::done);
      };
    };
    Schedules one(first_runtime, options(1, first), work(1));
    ASSERT_TRUE(fires_.wait_for(1, 5));
    Schedules two(second_runtime, options(2, second), work(2));
    // Renewals go on; what fires is refused.
    EXPECT_EQ(owner_.ask(fmt::format("REVOKE EXECUTE ON FUNCTION tenure.commit_fires FROM {}", first)), "");
    EXPECT_TRUE(fires_.wait_for(2, 5)) << "the standby never had its turn";
  }
  for (const std::string& role : {first, second}) drop_role(role);
}

}  // namespace
}  // namespace tenure
