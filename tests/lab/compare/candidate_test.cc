// Designs as the command line names them.
#include "lab/compare/candidate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "sim/protocols/registry.h"
#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

std::vector<std::string> settings_of(const Candidate& candidate) {
  std::vector<std::string> all;
  for (const format::Override& each : candidate.settings) all.push_back(each.key + "=" + each.value);
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

bool is_a_file(std::string_view path) {
  constexpr std::string_view kFiles[] = {"/tmp/c++/x.lua", "a:b/y.lua", "c+/node.py", "b.lua", "client-go"};
  return std::find(std::begin(kFiles), std::end(kFiles), path) != std::end(kFiles);
}

// Files of users, all of them the same design; those that are there have no errors.
class Files final : public sim::DesignFiles {
 public:
  bool names_one(std::string_view name) const override { return name.ends_with(".lua"); }
  Found find(std::string_view name, std::string_view) const override {
    if (!is_a_file(name)) return {nullptr, "cannot read " + std::string(name)};
    return {find_elector_kind("db-lease"), {}, {}, find_scheduler_kind("ticker")};
  }
  Found find_program(const std::vector<std::string>&, std::string_view, std::string_view) const override {
    return {find_elector_kind("db-lease")};
  }
};

TEST(Candidate, of_a_path_may_have_the_signs_in_it_that_part_designs_from_settings) {
  const Files files;
  const auto read = [&](std::string_view text) {
    ReadCandidate found = read_candidate(text, &files, is_a_file);
    EXPECT_TRUE(found.candidate) << text << ": " << found.problem;
    return found.candidate.value_or(Candidate{});
  };
  EXPECT_EQ(read("/tmp/c++/x.lua").protocol, "/tmp/c++/x.lua");
  EXPECT_EQ(read("/tmp/c++/x.lua").name, "x.lua");
  EXPECT_EQ(read("a:b/y.lua:10/2").protocol, "a:b/y.lua");
  EXPECT_EQ(read("a:b/y.lua:10/2").name, "y.lua:10/2");
  const Candidate both = read("/tmp/c++/x.lua+a:b/y.lua:lock_duration=9s");
  EXPECT_EQ(both.protocol, "/tmp/c++/x.lua");
  EXPECT_EQ(both.scheduler, "a:b/y.lua");
  EXPECT_EQ(settings_of(both), (std::vector<std::string>{"election.lock_duration=9s"}));
  EXPECT_EQ(read("fenced-lease+/tmp/c++/x.lua").scheduler, "/tmp/c++/x.lua");
  const Candidate program = read("run a:b c+/node.py:10/2");
  EXPECT_EQ(program.command, (std::vector<std::string>{"run", "a:b", "c+/node.py"}));
  EXPECT_EQ(settings_of(program).size(), 2U);
  EXPECT_EQ(read("run a:b Main+ticker:lock_duration=9s").scheduler, "ticker") << "of the last word";
  // A file that is called like a design of ours is none.
  EXPECT_EQ(read("client-go:60/40/5").kind->name, "client-go");
}

TEST(Candidate, of_a_path_that_is_not_there_is_called_by_the_whole_of_it) {
  const Files files;
  EXPECT_EQ(read_candidate("/tmp/c++/z.lua:10/2", &files, is_a_file).problem, "cannot read /tmp/c++/z.lua");
  EXPECT_EQ(read_candidate("b.lua+/tmp/c++/z.lua", &files, is_a_file).problem, "cannot read /tmp/c++/z.lua");
}

TEST(Candidate, quotes_what_a_setting_says) {
  EXPECT_EQ(settings_of(candidate("client-go:on_loss=e\"x\\it")),
            (std::vector<std::string>{"work.on_loss=\"e\\\"x\\\\it\""}));
  for (const char* text : {"client-go:on_loss=\"", "client-go:release=0.29\"", "client-go:release=\\"}) {
    const std::vector<format::Diagnostic> problems = make_case(situation(""), candidate(text)).problems;
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_NE(problems.front().message.find("unknown"), std::string::npos) << problems.front().message;
  }
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
      {"client-go:", "`client-go:` has an empty setting", "a `:` or a `,` too many"},
      {"client-go:15/10/2,", "`client-go:15/10/2,` has an empty setting", ""},
      {"client-go:,15/10/2", "has an empty setting", ""},
      {"client-go:15/10/2, on_loss=exit", "has no setting ` on_loss`", ""},
      {"client-go:lease_duration=", "gives `lease_duration` no value", "leave it out"},
      {"client-go:=5s", "has no setting ``", ""},
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
}  // namespace tenure::lab
