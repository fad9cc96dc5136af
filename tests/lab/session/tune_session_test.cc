// Tunings as a program of somebody else runs them. What is kept of their runs is tested in tests/cli/tune_test.cc.
#include "lab/session/tune_session.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

TuneTask task_of(const std::string& more) {
  const TuneFile file = tune_file(more);
  return tune_task(parsed(file), file.text, {});
}

const std::string kTwo =
    "[tune]\nseeds = 30\nobjectives = [\"failover_seconds.mean\"]\nconstraints = [\"one-believer\"]\n"
    "[tune.election]\nlease_duration = [\"10s\", \"20s\"]\n";

class Count final : public RunsObserver {
 public:
  void progressed(const RunsProgress& progress) override { last = progress; }
  RunsProgress last;
};

TEST(TuneSession, finds_the_better_setting_on_any_number_of_threads) {
  for (const unsigned threads : {1U, 3U}) {
    Count count;
    TuneSession session(task_of(kTwo), {.threads = threads}, count);
    ASSERT_TRUE(session.make_settings().empty());
    TuneSave none;
    const TuneFindings& findings = session.run(none);
    ASSERT_EQ(findings.judgement.best.size(), 1U);
    EXPECT_EQ(findings.tuning->setting(findings.judgement.best.front()).overrides.front().value, "10s");
    EXPECT_TRUE(session.objectives_without_samples().empty());
    EXPECT_EQ(count.last.done, count.last.planned);
    EXPECT_EQ(findings.internal_error, "");
  }
}

}  // namespace
}  // namespace tenure::lab
