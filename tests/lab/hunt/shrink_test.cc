// Shrinking: what is left fails in the same way, is small, and runs from its own file.
#include "lab/hunt/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "format/print/print.h"
#include "lab/hunt/regression.h"
#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

struct Found {
  sim::Scenario scenario;
  Failure failure;
};

// The first case of a design's hunt that fails.
Found first_failure(const format::ScenarioFile& hunted, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const sim::Scenario scenario = draw_case(hunted, seed).scenario;
    if (const auto failures = run_by_its_seed(scenario).failures; !failures.empty())
      return {scenario, failures.front()};
  }
  ADD_FAILURE() << "no case failed";
  return {};
}

format::ScenarioFile weak_design() {
  // What the design's authors demand, and what a pause takes from it: never two believers.
  format::ScenarioFile file = hunted("faults = \"6..12\"\ninstances = \"3..5\"", "client-go", "none");
  file.scenario.expect.always = {"one-believer"};
  return file;
}

TEST(Shrink, leaves_few_faults_that_fail_in_the_same_way) {
  const Found found = first_failure(weak_design(), 200);
  ASSERT_GE(found.scenario.faults.size(), 4u);
  const Shrunk shrunk =
      shrink(found.scenario, found.failure, {.try_case = run_by_its_seed, .zones = only_utc()});
  EXPECT_EQ(shrunk.end, Shrunk::End::finished);
  EXPECT_LE(shrunk.scenario.faults.size(), 3u);
  EXPECT_LE(shrunk.scenario.instances.size(), found.scenario.instances.size());
  EXPECT_TRUE(shrunk.failure.same_as(found.failure)) << shrunk.failure.message << "\n"
                                                     << found.failure.message;

  const format::ParseResult again =
      format::parse_scenario("shrunk.toml", format::print_scenario(shrunk.scenario));
  ASSERT_TRUE(again.scenario);
  const auto failures = run_by_its_seed(*again.scenario).failures;
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures.front().message, shrunk.failure.message);
  EXPECT_EQ(sim::run(*again.scenario, *again.scenario->seed).trace_hash,
            sim::run(shrunk.scenario, *shrunk.scenario.seed).trace_hash);
}

TEST(Shrink, is_the_same_every_time) {
  const Found found = first_failure(weak_design(), 200);
  const ShrinkSetup setup{.try_case = run_by_its_seed, .zones = only_utc()};
  EXPECT_EQ(format::print_scenario(shrink(found.scenario, found.failure, setup).scenario),
            format::print_scenario(shrink(found.scenario, found.failure, setup).scenario));
}

TEST(Shrink, stops_when_the_time_is_up_with_what_it_has) {
  const Found found = first_failure(weak_design(), 200);
  int left = 5;
  const Shrunk shrunk =
      shrink(found.scenario, found.failure,
             {.try_case = run_by_its_seed, .zones = only_utc(), .go_on = [&left] { return left-- > 0; }});
  EXPECT_EQ(shrunk.end, Shrunk::End::time_up);
  EXPECT_LE(shrunk.tries, 5u);
  EXPECT_NE(find_same(run_by_its_seed(shrunk.scenario).failures, found.failure), nullptr);
}

TEST(Shrink, stops_after_a_number_of_tries_that_is_the_same_on_every_machine) {
  const Found found = first_failure(weak_design(), 200);
  const Shrunk shrunk = shrink(found.scenario, found.failure,
                               {.try_case = run_by_its_seed, .zones = only_utc(), .most_tries = 5});
  EXPECT_EQ(shrunk.end, Shrunk::End::tries_up);
  EXPECT_EQ(shrunk.tries, 5u);
}

TEST(Shrink, follows_its_own_failure_among_others) {
  const Found found = first_failure(weak_design(), 200);
  const TryCase among_others = [](const sim::Scenario& scenario) {
    SeedRun run = run_by_its_seed(scenario);
    run.failures.insert(run.failures.begin(), {"another-checker", "it fails as well", {}});
    return run;
  };
  const Shrunk alone =
      shrink(found.scenario, found.failure, {.try_case = run_by_its_seed, .zones = only_utc()});
  const Shrunk among = shrink(found.scenario, found.failure, {.try_case = among_others, .zones = only_utc()});
  EXPECT_EQ(format::print_scenario(among.scenario), format::print_scenario(alone.scenario));
}

// Found after 58 minutes, and brought to the front: nothing has to happen before.
TEST(Shrink, moves_faults_to_the_front_and_shortens_the_run) {
  sim::Scenario failing =
      as_hunted(sim::file_of(sim::small(
                    "[[fault]]\nat = \"1s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"
                    "[[fault]]\nat = \"2s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"20s\"\n")))
          .scenario;
  failing.seed = 1;
  failing.duration = Duration::minutes(60);
  failing.faults[0].when = sim::FaultSetting::At{Duration::minutes(50)};
  failing.faults[1].when = sim::FaultSetting::At{Duration::minutes(58)};
  // It needs both, in this order.
  const TryCase both = [](const sim::Scenario& scenario) -> SeedRun {
    if (scenario.faults.size() < 2 || scenario.faults.front().action != "kill") return {};
    return {{}, {{"one-believer", "it fails", sim::TrueTime{} + scenario.duration - Duration::seconds(1)}}};
  };
  const Shrunk shrunk =
      shrink(failing, both(failing).failures.front(), {.try_case = both, .zones = only_utc()});
  ASSERT_EQ(shrunk.scenario.faults.size(), 2U);
  const auto at = [&](std::size_t i) {
    return std::get<sim::FaultSetting::At>(shrunk.scenario.faults[i].when).at;
  };
  EXPECT_LE(at(0), Duration::seconds(5));
  EXPECT_LE(at(1), Duration::seconds(10));
  EXPECT_LE(shrunk.scenario.duration, Duration::minutes(1));
}

// At a time, and at an event, which only a run knows the time of: neither lasts longer than the run lets it.
TEST(Shrink, leaves_no_fault_that_the_end_of_the_run_cuts_short) {
  for (const char* when : {"at = \"30s\"", "on = \"leads\"\nafter = \"20s\""}) {
    sim::Scenario failing =
        as_hunted(sim::file_of(sim::small("[[fault]]\n" + std::string(when) +
                                          "\naction = \"pause\"\ntarget = \"leader\"\nduration = \"10m\"\n")))
            .scenario;
    failing.seed = 1;
    // It fails as long as the pause lasts 13 s, all of them before the heal.
    const TryCase long_pause = [](const sim::Scenario& scenario) -> SeedRun {
      SeedRun outcome = run_by_its_seed(scenario);
      outcome.failures.clear();
      for (const sim::FaultRun& fault : outcome.run->faults)
        if (fault.duration >= Duration::seconds(13) &&
            fault.at + Duration::seconds(13) <= sim::TrueTime{} + scenario.duration)
          outcome.failures = {{"one-believer", "it fails", fault.at + Duration::seconds(12)}};
      return outcome;
    };
    const Shrunk shrunk =
        shrink(failing, long_pause(failing).failures.front(), {.try_case = long_pause, .zones = only_utc()});
    ASSERT_EQ(shrunk.scenario.faults.size(), 1U);
    const sim::FaultRun fault = run_by_its_seed(shrunk.scenario).run->faults.at(0);
    EXPECT_LE(fault.at + shrunk.scenario.faults[0].duration->high, sim::TrueTime{} + shrunk.scenario.duration)
        << when;
  }
}

TEST(Shrink, adds_no_other_reason_to_fail) {
  const Found found = first_failure(weak_design(), 200);
  const std::size_t instances = found.scenario.instances.size();
  ASSERT_GT(instances, 2U);
  const TryCase another_where_less = [&](const sim::Scenario& scenario) {
    SeedRun run = run_by_its_seed(scenario);
    if (scenario.instances.size() < instances) run.failures.push_back({"leader-elected", "nobody leads", {}});
    return run;
  };
  const Shrunk shrunk =
      shrink(found.scenario, found.failure, {.try_case = another_where_less, .zones = only_utc()});
  EXPECT_EQ(shrunk.scenario.instances.size(), instances);
  EXPECT_LT(shrunk.scenario.faults.size(), found.scenario.faults.size());
}

TEST(Shrink, leaves_the_tail_to_what_is_owed_in_it) {
  sim::Scenario failing = as_hunted(sim::file_of(sim::small(""))).scenario;
  failing.seed = 1;
  failing.tail = Duration::minutes(10);
  for (const auto& [checker, shorter] : {std::pair("leader-elected", false), std::pair("caught-up", false),
                                         std::pair("no-lost-fire", false), std::pair("one-believer", true)}) {
    const std::vector<Failure> always = {{checker, "it fails", {}}};
    const Shrunk shrunk = shrink(failing, always.front(),
                                 {.try_case =
                                      [&](const sim::Scenario&) {
                                        return SeedRun{{}, always};
                                      },
                                  .zones = only_utc()});
    EXPECT_EQ(shrunk.scenario.tail < Duration::minutes(10), shorter) << checker;
  }
}

// The planted slip: another checker fails as soon as a fault is gone, and that must not count.
TEST(Shrink, does_not_go_over_to_another_failure) {
  const Found found = first_failure(weak_design(), 200);
  const std::size_t all = found.scenario.faults.size();
  const TryCase slippery = [&](const sim::Scenario& scenario) -> SeedRun {
    if (scenario.faults.size() < all) return {{}, {{"another-checker", "it fails in another way", {}}}};
    return run_by_its_seed(scenario);
  };
  const Shrunk shrunk = shrink(found.scenario, found.failure, {.try_case = slippery, .zones = only_utc()});
  EXPECT_EQ(shrunk.scenario.faults.size(), all);
}

TEST(Shrink, takes_schedules_away_with_the_edits_that_name_them) {
  const sim::Scenario scenario =
      as_hunted(
          sim::file_of(sim::small("[[schedule]]\nname = \"other\"\nevery = \"3s\"\n"
                                  "[[change]]\nat = \"20s\"\naction = \"pause\"\nschedule = \"other\"\n"
                                  "[[change]]\nat = \"30s\"\naction = \"delete\"\nschedule = \"job\"\n")))
          .scenario;
  sim::Scenario failing = scenario;
  failing.seed = 1;
  // It fails as long as anything is left of `other`.
  const TryCase about_other = [](const sim::Scenario& s) -> SeedRun {
    for (const sim::ScheduleSetting& schedule : s.schedules)
      if (schedule.name == "other") return {{}, {{"planted", "other is there", {}}}};
    return {};
  };
  const Shrunk shrunk =
      shrink(failing, about_other(failing).failures.front(), {.try_case = about_other, .zones = only_utc()});
  ASSERT_EQ(shrunk.scenario.schedules.size(), 1u);
  EXPECT_EQ(shrunk.scenario.schedules.front().name, "other");
  EXPECT_TRUE(shrunk.scenario.changes.empty());
  EXPECT_EQ(shrunk.scenario.instances.size(), 1u);
}

TEST(Shrink, takes_destinations_and_workers_away_that_nobody_needs) {
  sim::Scenario failing =
      as_hunted(
          sim::file_of(sim::small("[[destination]]\nname = \"crm\"\n[[destination]]\nname = \"erp\"\n"
                                  "[[worker]]\nname = \"mailer\"\ncount = 3\n"
                                  "[[worker]]\nname = \"printer\"\ntopic = \"print\"\n"
                                  "[[schedule]]\nname = \"sent\"\nevery = \"3s\"\ndestination = \"erp\"\n"
                                  "[[schedule]]\nname = \"mails\"\nevery = \"3s\"\ndelivery = \"pull\"\n"
                                  "[[schedule]]\nname = \"pages\"\nevery = \"3s\"\ndelivery = \"pull\"\n"
                                  "topic = \"print\"\n")))
          .scenario;
  failing.seed = 1;
  // It fails as long as both are there.
  const TryCase both = [](const sim::Scenario& s) -> SeedRun {
    const auto is_there = [&s](std::string_view name) {
      return std::any_of(s.schedules.begin(), s.schedules.end(),
                         [name](const sim::ScheduleSetting& one) { return one.name == name; });
    };
    if (!is_there("sent") || !is_there("mails")) return {};
    const bool someone = std::any_of(s.workers.begin(), s.workers.end(),
                                     [](const sim::WorkerSetting& worker) { return worker.topic.empty(); });
    return someone ? SeedRun{{}, {{"planted", "both are there", {}}}} : SeedRun{};
  };
  const Shrunk shrunk =
      shrink(failing, both(failing).failures.front(), {.try_case = both, .zones = only_utc()});
  ASSERT_EQ(shrunk.scenario.destinations.size(), 1u);
  EXPECT_EQ(shrunk.scenario.destinations[0].name, "erp");
  ASSERT_EQ(shrunk.scenario.workers.size(), 1u);
  EXPECT_EQ(shrunk.scenario.workers[0].name, "mailer");
  EXPECT_EQ(shrunk.scenario.workers[0].count, 1);
}

// Two schedules with payloads: one from the start, and one that is created, which is what fails.
sim::Scenario carrying_payloads() {
  sim::Scenario scenario =
      as_hunted(
          sim::file_of(sim::small("[[worker]]\nname = \"mailer\"\ntopic = \"mail\"\n"
                                  "[[schedule]]\nname = \"mails\"\nevery = \"3s\"\ndelivery = \"pull\"\n"
                                  "topic = \"mail\"\ntype = \"letter\"\npayload_bytes = 65536\n"
                                  "[[change]]\nat = \"20s\"\naction = \"create\"\nschedule = \"later\"\n"
                                  "every = \"3s\"\ntype = \"report\"\npayload_bytes = 65536\n")))
          .scenario;
  scenario.seed = 1;
  return scenario;
}
const sim::PayloadSetting* payload_of(const sim::Scenario& scenario, std::string_view name) {
  for (const sim::ScheduleSetting& schedule : scenario.schedules)
    if (schedule.name == name) return &schedule.payload;
  return nullptr;
}

TEST(Shrink, takes_payloads_away_but_for_the_topic) {
  const TryCase fails = [](const sim::Scenario& s) -> SeedRun {
    if (payload_of(s, "mails") == nullptr || s.changes.empty()) return {};
    return {{}, {{"planted", "mails and a change are there", {}}}};
  };
  const sim::Scenario failing = carrying_payloads();
  ASSERT_EQ(failing.changes.size(), 1u);
  const Shrunk shrunk =
      shrink(failing, fails(failing).failures.front(), {.try_case = fails, .zones = only_utc()});
  ASSERT_NE(payload_of(shrunk.scenario, "mails"), nullptr);
  EXPECT_EQ(*payload_of(shrunk.scenario, "mails"), (sim::PayloadSetting{.topic = "mail"}));
  ASSERT_EQ(shrunk.scenario.changes.size(), 1u);
  EXPECT_TRUE(shrunk.scenario.changes.front().payload.empty());
}

TEST(Shrink, leaves_of_a_payload_what_the_failure_needs_and_rounds_it) {
  const TryCase fails = [](const sim::Scenario& s) -> SeedRun {
    const sim::PayloadSetting* mails = payload_of(s, "mails");
    if (mails == nullptr || mails->data_bytes < 1'000 || s.changes.empty()) return {};
    if (s.changes.front().payload.type != "report") return {};
    return {{}, {{"planted", "they are large", {}}}};
  };
  const sim::Scenario failing = carrying_payloads();
  const Shrunk shrunk =
      shrink(failing, fails(failing).failures.front(), {.try_case = fails, .zones = only_utc()});
  EXPECT_EQ(shrunk.end, Shrunk::End::finished);
  EXPECT_EQ(*payload_of(shrunk.scenario, "mails"),
            (sim::PayloadSetting{.topic = "mail", .data_bytes = 1'000}));
  ASSERT_EQ(shrunk.scenario.changes.size(), 1u);
  EXPECT_EQ(shrunk.scenario.changes.front().payload, (sim::PayloadSetting{.type = "report"}));
}

}  // namespace
}  // namespace tenure::lab
