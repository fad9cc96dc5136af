// Leadership for a program of one's own, on a real SQLite file.
#include "adapters/runtime/election.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/runtime/journal_files.h"
#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/sqlite_store.h"
#include "tests/adapters/runtime/said.h"
#include "tests/support/temporary.h"

namespace tenure {
namespace {

class ElectionTest : public ::testing::Test {
 protected:
  ElectionOptions options(std::uint32_t id, std::uint32_t resource = 0) {
    ElectionOptions options{.id = NodeId{id},
                            .resource = ResourceId{resource},
                            .connect = connect_with<SqliteStore>({.path = folder_.path() + "/tenure.db"}),
                            .stop_margin = Duration::millis(100)};
    testing::be_quicker(options.parameters);
    return options;
  }
  // Of a leader that does not lose its lease where the machine stands still for a moment.
  ElectionOptions patient(std::uint32_t id, Duration lease = Duration::seconds(10)) {
    ElectionOptions chosen = options(id);
    chosen.parameters.set("lease_duration", lease);
    chosen.parameters.set("request_timeout", Duration::seconds(2));
    return chosen;
  }
  // Says what happens, in order, and waits for it.
  void say(const std::string& what) {
    const std::lock_guard lock(mutex_);
    said_.push_back(what);
    wake_.notify_all();
  }
  bool await(const std::string& what) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(30),
                          [&] { return std::find(said_.begin(), said_.end(), what) != said_.end(); });
  }
  static void wait_for_stop(const Term& term) {
    std::mutex mutex;
    std::condition_variable_any told;
    std::unique_lock lock(mutex);
    told.wait(lock, term.stop, [] { return false; });
  }
  std::function<void(const Term&)> lead(const std::string& name) {
    return [this, name](const Term& term) {
      EXPECT_EQ(++leaders_, 1);
      say(name + " leads " + std::to_string(term.token.epoch));
      wait_for_stop(term);
      --leaders_;
      say(name + " stops " + std::to_string(term.token.epoch));
    };
  }

  testing::TemporaryFolder folder_;
  std::atomic<int> leaders_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> said_;
};

TEST_F(ElectionTest, runs_the_function_of_one_and_of_another_after_it_has_returned) {
  Runtime first;
  Runtime second;
  Election one(first, patient(1), lead("one"));
  ASSERT_TRUE(await("one leads 1"));
  Election two(second, patient(2), lead("two"));
  first.stop();
  EXPECT_TRUE(first.wait(Duration::seconds(30)));
  ASSERT_TRUE(await("two leads 2"));
  second.stop();
  EXPECT_TRUE(second.wait(Duration::seconds(30)));
  EXPECT_EQ(said_, (std::vector<std::string>{"one leads 1", "one stops 1", "two leads 2", "two stops 2"}));
}

// The lease need not run out first.
TEST_F(ElectionTest, takes_over_at_once_when_it_hears_that_the_lease_was_given_back) {
  std::mutex mutex;
  bool refused = false;
  std::condition_variable wake;
  Runtime first;
  Runtime second([&](std::string_view line) {
    if (line.find("\"refused\"") == std::string_view::npos) return;
    const std::lock_guard lock(mutex);
    refused = true;
    wake.notify_all();
  });
  auto one = std::make_unique<Election>(first, patient(1, Duration::hours(1)), lead("one"));
  ASSERT_TRUE(await("one leads 1"));
  Election two(second, patient(2, Duration::hours(1)), lead("two"));
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds(30), [&] { return refused; }));
  }
  second.listen(std::make_unique<SqliteListener>(folder_.path() + "/tenure.db"));
  one.reset();
  EXPECT_TRUE(await("two leads 2"));
}

TEST_F(ElectionTest, calls_the_function_once_a_term_if_it_returns_by_itself) {
  std::atomic<int> renewals = 0;
  std::mutex mutex;
  std::condition_variable wake;
  Runtime runtime([&](std::string_view line) {
    if (line.find("\"kind\":\"renew\"") == std::string_view::npos) return;
    const std::lock_guard lock(mutex);
    ++renewals;
    wake.notify_all();
  });
  Election election(runtime, patient(1), [this](const Term&) { say("called"); });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds(30), [&] { return renewals >= 3; }));
  }
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  EXPECT_EQ(said_, std::vector<std::string>{"called"});
}

// The loop writes the journal. While it stands in a pipe that nobody reads, it renews nothing and says nothing to the
// function, and the lease runs out.
TEST_F(ElectionTest, asks_the_function_to_stop_in_time_though_the_journal_blocks_the_loop) {
  const std::string pipe = folder_.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GT(fcntl(reader, F_SETPIPE_SZ, 4096), 0);
  const auto read_until = [&](const std::function<bool()>& over) {
    char some[4096];
    while (!over())
      if (read(reader, some, sizeof some) <= 0) usleep(1'000);
  };
  const auto has_said = [&](const std::string& what) {
    const std::lock_guard lock(mutex_);
    return std::find(said_.begin(), said_.end(), what) != said_.end();
  };
  const auto bounded = [this](std::uint32_t id) {
    ElectionOptions chosen = options(id);
    chosen.parameters.set("lease_duration", Duration::seconds(3));
    chosen.stop_margin = Duration::seconds(1);  // for threads that are not run at once
    return chosen;
  };
  JournalFiles journal({.path = pipe});
  Runtime first(journal.sink());
  Runtime second;
  Election one(first, bounded(1), lead("one"));
  read_until([&] { return has_said("one leads 1"); });
  Election two(second, bounded(2), lead("two"));  // with `leaders_` that are never two
  EXPECT_TRUE(await("two leads 2"));
  EXPECT_TRUE(has_said("one stops 1"));
  second.stop();
  EXPECT_TRUE(second.wait(Duration::seconds(30)));
  // The loop goes on, and so does the election: its function was asked, and is called again.
  read_until([&] { return has_said("one leads 3"); });
  first.stop();
  read_until([&] { return first.wait(Duration::millis(10)); });
  close(reader);
}

// Or nobody would know why nothing happens.
TEST_F(ElectionTest, of_a_store_that_cannot_be_reached_is_complained_about) {
  Runtime runtime({}, [this](std::string_view words) {
    const std::string line(words);  // without the time, and for how long
    say(line.substr(25, line.rfind(" (for ") - 25));
  });
  ElectionOptions nowhere = options(7);
  nowhere.connect = connect_with<SqliteStore>({.path = folder_.path() + "/nowhere/tenure.db"});
  Election election(runtime, std::move(nowhere), lead("nobody"));
  EXPECT_TRUE(await("error: node 7, acquire: " + folder_.path() + "/nowhere/tenure.db: there is no folder " +
                    folder_.path() + "/nowhere"));
}

TEST_F(ElectionTest, gives_leadership_back_when_it_is_destroyed_and_calls_nobody_again) {
  Runtime runtime;
  auto one = std::make_unique<Election>(runtime, patient(1), lead("one"));
  ASSERT_TRUE(await("one leads 1"));
  one.reset();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));  // its node has stopped, and nothing else runs here
  Election two(runtime, patient(2), lead("two"));
  ASSERT_TRUE(await("two leads 2"));
  EXPECT_EQ(said_, (std::vector<std::string>{"one leads 1", "one stops 1", "two leads 2"}));
}

// The one that is destroyed was told to stop before, and has given way: the other is not its to stop.
TEST_F(ElectionTest, goes_on_when_the_one_of_its_id_that_it_follows_is_destroyed) {
  Runtime runtime;
  auto election = std::make_unique<Election>(runtime, options(1), lead("one"));
  ASSERT_TRUE(await("one leads 1"));
  runtime.stop(NodeId{1});
  election = std::make_unique<Election>(runtime, options(1), lead("next"));
  EXPECT_TRUE(await("next leads 2"));
}

TEST_F(ElectionTest, asks_to_stop_before_belief_ends_when_the_store_is_gone) {
  std::vector<std::string> lines;
  const MachineClock clock;
  std::atomic<bool> gone = false;
  Runtime runtime([&](std::string_view line) { lines.emplace_back(line); });
  ElectionOptions chosen = options(1);
  chosen.parameters.set("lease_duration", Duration::seconds(4));
  chosen.stop_margin = Duration::seconds(2);  // for threads that are not run at once
  class Flaky final : public StoreBackend {
   public:
    Flaky(std::unique_ptr<StoreBackend> real, std::atomic<bool>& gone)
        : real_(std::move(real)), gone_(gone) {}
    Answer execute(const reference::Request& request, Duration timeout) override {
      if (gone_) return rejected(StoreError::unreachable, "gone");
      return real_->execute(request, timeout);
    }
    std::optional<StoreAudit> audit(ResourceId resource) override { return real_->audit(resource); }

   private:
    std::unique_ptr<StoreBackend> real_;
    std::atomic<bool>& gone_;
  };
  chosen.connect = [&, real = chosen.connect]() -> ConnectionOpened {
    ConnectionOpened opened = real();
    return std::make_unique<Flaky>(std::get<std::unique_ptr<StoreBackend>>(std::move(opened)), gone);
  };
  std::mutex mutex;
  MonoTime asked;
  Election election(runtime, std::move(chosen), [&](const Term& term) {
    gone = true;
    say("leads");
    wait_for_stop(term);
    {
      const std::lock_guard guard(mutex);
      asked = clock.mono();
    }
    say("asked");
  });
  ASSERT_TRUE(await("asked"));
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
  // The last belief that was declared is the one that the function was stopped before.
  std::int64_t believed = 0;
  for (const std::string& line : lines) {
    const std::size_t place = line.find("\"until_mono\":");
    if (place != std::string::npos) believed = std::stoll(line.substr(place + 13));
  }
  const std::lock_guard guard(mutex);
  EXPECT_GT(believed, 0);
  EXPECT_LT(asked.ns(), believed);
}

TEST_F(ElectionTest, leads_over_several_resources_in_one_process) {
  Runtime runtime;
  std::atomic<int> together = 0;
  const auto both = [&](const Term& term) {
    if (++together == 2) say("both");
    wait_for_stop(term);
  };
  Election one(runtime, options(1, 1), both);
  Election two(runtime, options(2, 2), both);
  EXPECT_TRUE(await("both"));
  runtime.stop();
  EXPECT_TRUE(runtime.wait(Duration::seconds(30)));
}

using ElectionDeathTest = ElectionTest;

// It would hold the lease and never lead.
TEST_F(ElectionDeathTest, a_margin_that_leaves_nothing_of_a_belief_is_refused) {
  ElectionOptions chosen = options(1);
  chosen.stop_margin = Duration::seconds(1);
  EXPECT_DEATH(
      {
        Runtime runtime;
        const Election election(runtime, chosen, [](const Term&) {});
      },
      "stop_margin");
}

TEST_F(ElectionDeathTest, parameters_that_are_ill_formed_are_refused) {
  ElectionOptions chosen = options(1);
  chosen.parameters.set(chosen.parameters.find("lease_duration"), Duration::millis(800).ns() + 1);
  EXPECT_DEATH(
      {
        Runtime runtime;
        const Election election(runtime, chosen, [](const Term&) {});
      },
      "whole microseconds");
}

// Whoever makes the elector alone may accept what is unsafe, and nothing else.
TEST_F(ElectionDeathTest, an_elector_is_not_made_of_parameters_that_are_ill_formed) {
  Parameters parameters = options(1).parameters;
  parameters.set("renew_period", Duration::millis(700));
  EXPECT_NE(make_election(NodeId{1}, {}, parameters), nullptr);
  parameters.set(parameters.find("lease_duration"), Duration::millis(800).ns() + 1);
  EXPECT_DEATH(make_election(NodeId{1}, {}, parameters), "whole microseconds");
}

// A scenario file has to accept it; and so has a program.
TEST_F(ElectionDeathTest, parameters_that_are_unsafe_are_refused_unless_they_are_accepted_by_name) {
  ElectionOptions chosen = options(1);
  EXPECT_EQ(chosen.problem(), "");
  chosen.parameters.set("renew_period", Duration::millis(700));
  const std::string words =
      "unsafe: renew_period (700ms) + request_timeout (300ms) exceeds the time a holder may believe "
      "(699.200399ms); accept = {\"renew-beyond-belief\"} takes it on purpose";
  EXPECT_EQ(chosen.problem(), words);
  EXPECT_DEATH(
      {
        Runtime runtime;
        const Election election(runtime, chosen, [](const Term&) {});
      },
      "renew-beyond-belief");
  chosen.accept = {"renew-beyond-beleif"};
  EXPECT_EQ(chosen.problem(), words);
  chosen.accept = {"renew-beyond-belief", "no-margin"};
  EXPECT_EQ(chosen.problem(), "`no-margin` is accepted, and no setting here needs it");
  chosen.accept = {"renew-beyond-belief"};
  EXPECT_EQ(chosen.problem(), "");
  Runtime runtime;
  const Election election(runtime, chosen, lead("one"));
  EXPECT_TRUE(await("one leads 1"));
}

// It would lead on without leadership.
TEST_F(ElectionTest, a_margin_that_is_negative_is_named) {
  ElectionOptions chosen = options(1);
  chosen.stop_margin = Duration{};
  EXPECT_EQ(chosen.problem(), "");
  chosen.stop_margin = Duration::nanos(-5);
  EXPECT_EQ(
      chosen.problem(),
      "stop_margin (-5ns) is negative: the function would be told to stop only after its term has ended");
}

TEST_F(ElectionTest, parameters_that_are_out_of_range_are_named) {
  ElectionOptions chosen = options(1);
  chosen.parameters.set("lease_duration", Duration::nanos(-5));
  EXPECT_NE(chosen.problem().find("lease_duration (-5ns) is less than "), std::string::npos)
      << chosen.problem();
}

}  // namespace
}  // namespace tenure
