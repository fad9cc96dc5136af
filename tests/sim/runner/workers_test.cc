// Workers in a whole run: what they do, and what faults do to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/trackers/applied.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim::workers_tests {
namespace {

constexpr Incarnation kFirst{kFirstWorkerNode, 1};

struct Step {
  TrueTime at;
  WorkerExecution what;
};
// What the store answered to an end, by attempt.
using Answers = std::map<std::pair<reference::EventId, std::uint64_t>, std::vector<reference::Standing>>;

struct Watch : Observer {
  std::uint32_t wants() const override { return record_mask<WorkerExecution, Applied>(); }
  void see(TrueTime now, const Record& record) override {
    if (const auto* step = std::get_if<WorkerExecution>(&record)) steps.push_back({now, *step});
    const auto* applied = std::get_if<Applied>(&record);
    if (applied == nullptr || !is_worker(applied->who.node)) return;
    asked.emplace_back(now, applied->who);
    const bool is_end = reference_request<reference::EndExecutions>(applied->request) != nullptr;
    for_each_end(*applied, [&](const reference::ExecutionToken& token, reference::Standing standing) {
      answers[{token.event, token.nonce}].push_back(standing);
      if (is_end) ends.push_back({now, applied->who, token, standing});
    });
    if (reference_request<reference::ReleaseExecutions>(applied->request) == nullptr) return;
    for_each_end(*applied, [&](const reference::ExecutionToken& token, reference::Standing standing) {
      given_back.push_back({now, applied->who, token, standing});
    });
  }
  std::int64_t count(Ending ending) const {
    return std::count_if(steps.begin(), steps.end(),
                         [&](const Step& step) { return step.what.ending == ending; });
  }
  std::int64_t begun(Incarnation who, Duration from, Duration to) const {
    return std::count_if(steps.begin(), steps.end(), [&](const Step& step) {
      return step.what.who == who && !step.what.ending && step.at > TrueTime{} + from &&
             step.at < TrueTime{} + to;
    });
  }
  bool asks_between(Incarnation who, Duration from, Duration to) const {
    return std::any_of(asked.begin(), asked.end(), [&](const auto& each) {
      return each.second == who && each.first > TrueTime{} + from && each.first < TrueTime{} + to;
    });
  }
  std::vector<Step> steps;
  std::vector<std::pair<TrueTime, Incarnation>> asked;
  struct GivenBack {
    TrueTime at;
    Incarnation who;
    reference::ExecutionToken token;
    reference::Standing answer;
  };
  std::vector<GivenBack> given_back;
  std::vector<GivenBack> ends;
  Answers answers;
};

// Two workers, each with two events of 3 s at a time, for a schedule of one a second.
std::string with_workers(const std::string& fault, int attempts = 5) {
  return small(
      "[[worker]]\nname = \"mailer\"\ncount = 2\nconcurrent = 2\nclaim = \"8s\"\nheartbeat = \"2s\"\n"
      "duration = \"3s\"\ntimeout = \"2s\"\n[[schedule]]\nname = \"orders\"\nevery = \"1s\"\n"
      "delivery = \"pull\"\nattempts = " +
      std::to_string(attempts) + "\nback_off_max = \"2s\"\n" + fault);
}

Watch watched(const std::string& fault, RunResult* result = nullptr, int attempts = 5,
              std::uint64_t seed = 3) {
  Watch watch;
  const RunResult made = run(parsed(with_workers(fault, attempts)), seed, {.trace = &watch});
  if (result != nullptr) *result = made;
  return watch;
}

TEST(Workers, do_what_they_have_claimed_as_many_at_a_time_as_they_have_places) {
  const Watch watch = watched("");
  std::map<Incarnation, int> working;
  int most = 0;
  for (const Step& step : watch.steps) {
    int& now = working[step.what.who];
    now += step.what.ending ? -1 : 1;
    most = std::max(most, now);
    EXPECT_GE(now, 0);
  }
  EXPECT_EQ(working.size(), 2u);
  EXPECT_EQ(most, 2);
}

TEST(Workers, that_are_paused_stand_still_and_go_on_with_their_work) {
  const Watch watch = watched(
      "[[fault]]\nat = \"31s\"\naction = \"worker-pause\"\nworker = \"mailer-1\"\nduration = \"20s\"\n");
  bool over_afterwards = false;
  for (const Step& step : watch.steps) {
    if (step.what.who != kFirst) continue;
    const Duration at = step.at - TrueTime{};
    EXPECT_FALSE(Duration::seconds(31) < at && at < Duration::seconds(51)) << at.ns();
    over_afterwards = over_afterwards || (step.what.ending && at >= Duration::seconds(51));
  }
  EXPECT_TRUE(over_afterwards);
  // What it had sent may still have been on its way.
  EXPECT_FALSE(watch.asks_between(kFirst, Duration::seconds(32), Duration::seconds(51)));
}

TEST(Workers, that_crash_lose_what_they_had_and_live_again) {
  const Watch watch = watched(
      "[[fault]]\nat = \"31s\"\naction = \"worker-crash\"\nworker = \"mailer-1\"\nduration = \"5s\"\n");
  const Incarnation next{kFirst.node, 2};
  bool died = false;
  bool lives_again = false;
  for (const Step& step : watch.steps) {
    const Duration at = step.at - TrueTime{};
    if (step.what.who == kFirst) {
      EXPECT_LE(at, Duration::seconds(31));
      died = died || step.what.ending == Ending::died;
    }
    if (step.what.who != next) continue;
    EXPECT_GE(at, Duration::seconds(36));
    lives_again = true;
  }
  EXPECT_TRUE(died);
  EXPECT_TRUE(lives_again);
}

std::string stopped(const std::string& more) {
  return "[[fault]]\nat = \"31s\"\naction = \"worker-stop\"\nworker = \"mailer-1\"\nduration = \"20s\"\n" +
         more;
}

TEST(Workers, that_are_stopped_give_back_what_they_have_and_live_again) {
  const Watch watch = watched(stopped(""));
  EXPECT_GT(watch.count(Ending::stopped), 0);
  EXPECT_EQ(watch.count(Ending::died), 0);
  EXPECT_EQ(std::ssize(watch.given_back), watch.count(Ending::stopped));
  for (const Watch::GivenBack& each : watch.given_back) {
    EXPECT_EQ(each.who, kFirst);
    EXPECT_EQ(each.answer, reference::Standing::released);
    // Another has it as soon as it has room: long before the claim would have been over.
    EXPECT_TRUE(std::any_of(watch.steps.begin(), watch.steps.end(), [&](const Step& step) {
      return !step.what.ending && step.what.token.event == each.token.event &&
             step.what.token.attempt == each.token.attempt + 1 && step.what.who != kFirst &&
             step.at - each.at < Duration::seconds(5);
    }));
  }
  EXPECT_FALSE(watch.asks_between(kFirst, Duration::seconds(32), Duration::seconds(51)));
  EXPECT_EQ(watch.begun(kFirst, Duration::seconds(31), Duration::minutes(10)), 0);
  EXPECT_GT(watch.begun({kFirst.node, 2}, Duration::seconds(51), Duration::minutes(10)), 0);
}

TEST(Workers, that_are_stopped_may_finish_within_the_grace_and_begin_nothing) {
  const Watch watch = watched(stopped("grace = \"10s\"\n"));
  EXPECT_TRUE(watch.given_back.empty());
  EXPECT_EQ(watch.count(Ending::stopped), 0);
  EXPECT_EQ(watch.begun(kFirst, Duration::seconds(31), Duration::seconds(51)), 0);
  EXPECT_TRUE(watch.asks_between(kFirst, Duration::seconds(31), Duration::seconds(35)));
  EXPECT_FALSE(watch.asks_between(kFirst, Duration::seconds(36), Duration::seconds(51)));
}

TEST(Workers, that_are_stopped_often_lose_no_attempt_by_it) {
  RunResult result;
  const Watch watch =
      watched("[[fault]]\nevery = \"7s\"\naction = \"worker-stop\"\nduration = \"1s\"\n", &result, 1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  std::uint32_t most = 0;
  for (const Step& step : watch.steps) most = std::max(most, step.what.token.attempt);
  EXPECT_GT(most, 1u);
  for (const auto& [attempt, answers] : watch.answers)
    for (const reference::Standing answer : answers) EXPECT_NE(answer, reference::Standing::dead);
}

TEST(Workers, that_are_stopped_give_back_what_a_claim_on_its_way_still_brings_and_do_not_begin_it) {
  const Watch watch = watched(
      "[[fault]]\nat = \"10s\"\naction = \"store-slow\"\nlatency = \"900ms\"\nduration = \"100s\"\n"
      "[[fault]]\nevery = \"7300ms\"\naction = \"worker-stop\"\nworker = \"mailer-1\"\nduration = \"4s\"\n"
      "[[fault]]\nevery = \"5700ms\"\naction = \"worker-stop\"\nworker = \"mailer-2\"\nduration = \"3s\"\n");
  const auto was_begun = [&](const reference::ExecutionToken& token) {
    return std::any_of(watch.steps.begin(), watch.steps.end(),
                       [&](const Step& step) { return step.what.token == token; });
  };
  EXPECT_TRUE(std::any_of(watch.given_back.begin(), watch.given_back.end(),
                          [&](const auto& each) { return !was_begun(each.token); }));
}

TEST(Workers, that_are_stopped_say_so_again_until_they_have_an_answer) {
  RunResult result;
  const Watch watch = watched(
      "[[fault]]\nat = \"31s\"\naction = \"store-ack-lost\"\nrate = 0.5\nduration = \"60s\"\n"
      "[[fault]]\nevery = \"9s\"\naction = \"worker-stop\"\nduration = \"8s\"\n",
      &result);
  EXPECT_NE(result.verdict, Verdict::fail);
  std::map<std::pair<reference::EventId, std::uint64_t>, int> asked;
  for (const Watch::GivenBack& each : watch.given_back) ++asked[{each.token.event, each.token.nonce}];
  EXPECT_TRUE(std::any_of(asked.begin(), asked.end(), [](const auto& each) { return each.second > 1; }));
}

// Of attempts that were given back, and of which something else was said: what the store heard first.
struct Overtaking {
  int returns = 0;
  int completions = 0;
  int refused = 0;  // the completion, because another had the event by then
};
void add_overtaking(const Watch& watch, Overtaking& found) {
  for (const Watch::GivenBack& end : watch.ends) {
    const auto back = std::find_if(watch.given_back.begin(), watch.given_back.end(),
                                   [&](const Watch::GivenBack& each) { return each.token == end.token; });
    if (back == watch.given_back.end()) continue;
    if (end.answer == reference::Standing::reissued) ++found.refused;
    if (end.answer != reference::Standing::completed) continue;
    ++(back->at < end.at ? found.returns : found.completions);
    EXPECT_EQ(back->answer,
              back->at < end.at ? reference::Standing::released : reference::Standing::completed);
  }
}

TEST(Workers, that_are_stopped_complete_what_is_done_before_the_return_is_answered) {
  Overtaking found;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunResult result;
    add_overtaking(
        watched("[[fault]]\nat = \"30s\"\naction = \"store-ack-lost\"\nrate = 0.4\nduration = \"80s\"\n"
                "[[fault]]\nevery = \"15s\"\naction = \"worker-stop\"\nduration = \"9s\"\n",
                &result, 5, seed),
        found);
    EXPECT_NE(result.verdict, Verdict::fail) << seed;
  }
  EXPECT_GT(found.returns, 0);
  EXPECT_EQ(found.completions, 0) << "a quick network: the return is there first";
}

TEST(Workers, that_are_stopped_may_have_a_return_overtaken_by_a_completion_or_by_another_worker) {
  Overtaking found;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunResult result;
    add_overtaking(watched("[network]\nlatency = { min = \"10ms\", p50 = \"300ms\", p99 = \"1500ms\" }\n"
                           "[[fault]]\nevery = { p50 = \"7s\", max = \"9s\" }\naction = \"worker-stop\"\n"
                           "worker = \"mailer-1\"\nduration = \"4s\"\n",
                           &result, 5, seed),
                   found);
    EXPECT_NE(result.verdict, Verdict::fail) << seed;
  }
  EXPECT_GT(found.returns, 0);
  EXPECT_GT(found.completions, 0);
  EXPECT_GT(found.refused, 0);
}

// Whether it goes on is drawn by the attempt: some do, some do not.
TEST(Workers, that_are_stopped_stop_some_of_their_work_at_once_and_some_with_the_answer) {
  const Watch watch = watched(
      "[network]\nlatency = { min = \"10ms\", p50 = \"300ms\", p99 = \"1500ms\" }\n"
      "[[fault]]\nevery = \"8s\"\naction = \"worker-stop\"\nduration = \"4s\"\n");
  int at_once = 0;
  int later = 0;
  for (const Step& step : watch.steps)
    if (step.what.ending == Ending::stopped)
      ++((step.at - TrueTime{}).ns() % Duration::seconds(8).ns() == 0 ? at_once : later);
  EXPECT_GT(at_once, 0);
  EXPECT_GT(later, 0);
}

TEST(Workers, that_are_not_gone_when_they_are_to_start_again_are_killed) {
  const Watch watch = watched(stopped("grace = \"40s\"\n") +
                              "[[fault]]\nat = \"31s\"\naction = \"worker-pause\"\nworker = \"mailer-1\"\n"
                              "duration = \"40s\"\n");
  EXPECT_GT(watch.count(Ending::died), 0);
  EXPECT_TRUE(watch.given_back.empty());
  EXPECT_GT(watch.begun({kFirst.node, 2}, Duration::seconds(51), Duration::seconds(60)), 0);
}

TEST(Workers, that_are_cut_off_are_not_heard) {
  const Watch watch = watched(
      "[[fault]]\nat = \"31s\"\naction = \"worker-cut-off\"\nworker = \"mailer-1\"\nduration = \"20s\"\n");
  EXPECT_TRUE(watch.asks_between(kFirst, Duration::seconds(25), Duration::seconds(31)));
  EXPECT_FALSE(watch.asks_between(kFirst, Duration::seconds(32), Duration::seconds(51)));
  EXPECT_TRUE(watch.asks_between(kFirst, Duration::seconds(51), Duration::seconds(60)));
}

TEST(Workers, say_an_end_again_until_they_have_an_answer) {
  RunResult result;
  const Watch watch = watched(
      "[[fault]]\nat = \"31s\"\naction = \"store-ack-lost\"\nrate = 0.5\nduration = \"60s\"\n", &result);
  EXPECT_NE(result.verdict, Verdict::fail);
  std::size_t again = 0;
  for (const auto& [attempt, answers] : watch.answers) {
    if (answers.size() > 1) ++again;
    EXPECT_EQ(std::count(answers.begin(), answers.end(), answers.front()), std::ssize(answers));
  }
  EXPECT_GT(again, 0u);
}

TEST(Workers, go_on_after_the_heal_whatever_had_struck_them) {
  for (const char* action : {"worker-pause", "worker-crash", "worker-cut-off", "worker-stop"}) {
    const Watch watch = watched("[[fault]]\nat = \"100s\"\naction = \"" + std::string(action) + "\"\n");
    EXPECT_TRUE(std::any_of(watch.asked.begin(), watch.asked.end(), [](const auto& each) {
      return each.first > TrueTime{} + Duration::seconds(121);
    })) << action;
  }
}

}  // namespace
}  // namespace tenure::sim::workers_tests
