// Designs as the command line names them.
#include "lab/compare/candidate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/lab/compare/support.h"

namespace tenure::sim {
namespace {

std::vector<std::string> settings_of(const Candidate& candidate) {
  std::vector<std::string> all;
  for (const Override& each : candidate.settings) all.push_back(each.key + "=" + each.value);
  return all;
}

TEST(Candidate, of_a_name_alone_is_an_election_with_its_defaults) {
  const Candidate it = candidate("client-go");
  EXPECT_EQ(it.name, "client-go");
  EXPECT_EQ(it.kind->name, "client-go");
  EXPECT_EQ(it.scheduler_kind, nullptr);
  EXPECT_TRUE(it.settings.empty());
}

TEST(Candidate, takes_durations_in_the_order_of_the_parameters_in_seconds_unless_they_say) {
  EXPECT_EQ(settings_of(candidate("client-go:60/40/500ms")),
            (std::vector<std::string>{"election.lease_duration=60s", "election.renew_deadline=40s",
                                      "election.retry_period=500ms"}));
}

TEST(Candidate, takes_settings_of_both_parts_by_name) {
  const Candidate it = candidate("fenced-lease+fenced-outbox:15/5,batch=10,release_on_stop=false");
  EXPECT_EQ(it.name, "fenced-lease+fenced-outbox:15/5,batch=10,release_on_stop=false");
  EXPECT_EQ(it.scheduler_kind->name, "fenced-outbox");
  EXPECT_EQ(settings_of(it),
            (std::vector<std::string>{"election.lease_duration=15s", "election.renew_period=5s",
                                      "scheduling.batch=10", "election.release_on_stop=false"}));
}

TEST(Candidate, takes_a_setting_that_both_parts_have_with_the_part_s_name) {
  EXPECT_EQ(settings_of(candidate("fenced-lease+fenced-outbox:scheduling.request_timeout=1s,"
                                  "election.request_timeout=2s")),
            (std::vector<std::string>{"scheduling.request_timeout=1s", "election.request_timeout=2s"}));
}

TEST(Candidate, takes_a_choice_that_looks_like_a_number_for_text) {
  EXPECT_EQ(settings_of(candidate("client-go:release=0.29")),
            (std::vector<std::string>{"election.release=\"0.29\""}));
}

TEST(Candidate, may_say_what_the_program_around_it_does) {
  EXPECT_EQ(
      settings_of(candidate("client-go:on_loss=exit,startup=15s,warmup=20s")),
      (std::vector<std::string>{"work.on_loss=\"exit\"", "work.startup=\"15s\"", "work.warmup=\"20s\""}));
}

TEST(Candidate, may_name_the_engine_that_its_statements_run_on) {
  EXPECT_EQ(settings_of(candidate("db-lease:engine=postgres")),
            (std::vector<std::string>{"store.engine=\"postgres\""}));
}

struct Wrong {
  std::string text;
  std::string problem;
  std::string hint;
};

TEST(Candidate, that_is_wrong_is_refused_in_words) {
  const Wrong all[] = {
      {"fenced-leese", "there is no design `fenced-leese`", "did you mean `fenced-lease`?"},
      {"", "there is no design ``", "one of"},
      {"mine/lock.py", "there is no design `mine/lock.py`", "the command of a program"},
      {"fenced-lease+tickr", "there is no scheduler `tickr`", "did you mean `ticker`?"},
      {"fenced-lease+", "names no scheduler", ""},
      {"db-lease:1/2/3/4", "gives 4 durations, and db-lease has 3",
       "lock_duration/poll_period/request_timeout"},
      {"db-lease:1//3", "leaves `poll_period` empty", "by name instead"},
      {"db-lease:lock_durations=1s", "has no setting `lock_durations`", "did you mean `lock_duration`?"},
      {"db-lease:batch=10", "has no setting `batch`", ""},
      {"fenced-lease+fenced-outbox:request_timeout=1s",
       "both parts of `fenced-lease+fenced-outbox:request_timeout=1s` have",
       "election.request_timeout or scheduling.request_timeout"},
      {"client-go:15/10/2,lease_duration=60s", "sets election.lease_duration twice", ""},
  };
  for (const Wrong& each : all) {
    const ReadCandidate read = read_candidate(each.text, nullptr);
    EXPECT_FALSE(read.candidate) << each.text;
    EXPECT_NE(read.problem.find(each.problem), std::string::npos) << each.text << ": " << read.problem;
    EXPECT_NE(read.hint.find(each.hint), std::string::npos) << each.text << ": " << read.hint;
  }
}

}  // namespace
}  // namespace tenure::sim
