#include "lab/live/expectation.h"

#include <gtest/gtest.h>

#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

std::map<std::string, std::uint64_t> happened_to(const Process& process) {
  return happened_in({std::get<NodeJournal>(read_journal("journal", process.text()))});
}

// What is said of stale writes, if none was seen.
std::string detail_after(const Process& process) {
  sim::Scenario scenario;
  scenario.expect.sometimes = {"stale-write-rejected"};
  LiveFacts facts;
  facts.led_at_end = true;
  const LiveVerdict judged = judge_live(Audit{}, happened_to(process), scenario, facts);
  for (const sim::CheckResult& check : judged.checks)
    if (check.name == "stale-write-rejected") {
      EXPECT_EQ(check.verdict, sim::Verdict::inconclusive);
      return check.detail;
    }
  return "not judged";
}

TEST(Expectation, says_how_many_writes_were_given_up_if_no_refusal_was_heard) {
  Process leader{1};
  leader.starts(0);
  leader.leads(100, term(1));
  EXPECT_EQ(detail_after(leader).find("given them up"), std::string::npos) << detail_after(leader);
  const auto renewal = leader.asks(500, reference::Renew{{}, leader.who(), term(1), Duration::seconds(1)});
  leader.never_hears(900, renewal);
  leader.asks(950, reference::CommitFires{{}, leader.who(), term(1), {}}, true);
  EXPECT_NE(detail_after(leader).find("given them up before an answer came: 2."), std::string::npos)
      << detail_after(leader);
}

}  // namespace
}  // namespace tenure::lab
