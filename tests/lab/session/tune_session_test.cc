// Tunings as a program of somebody else runs them; what is kept of their runs, and what is taken from it again.
#include "lab/session/tune_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lab/session/interruption.h"
#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

TuneTask task_of(const std::string& more) {
  const sim::TuneFile file = sim::tune_file(more);
  return tune_task(sim::parsed(file), file.text, {});
}

const std::string kTwo =
    "[tune]\nseeds = 30\nobjectives = [\"failover_seconds.mean\"]\nconstraints = [\"one-believer\"]\n"
    "[tune.election]\nlease_duration = [\"10s\", \"20s\"]\n";

class Count final : public TuneObserver {
 public:
  void progressed(const TuneProgress& progress) override {
    last = progress;
    if (progress.done >= interrupt_at) interrupt();
  }
  void interrupted(const TuneProgress&) override { was_interrupted = true; }
  TuneProgress last;
  std::uint64_t interrupt_at = UINT64_MAX;
  bool was_interrupted = false;
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

// By what they are judged by.
void expect_same(const sim::SettingOutcome& a, const sim::SettingOutcome& b) {
  EXPECT_EQ(a.runs(), b.runs());
  EXPECT_EQ(a.strikes(), b.strikes());
  EXPECT_EQ(a.leaderless_by_cause(), b.leaderless_by_cause());
  ASSERT_EQ(a.broken().size(), b.broken().size());
  for (const auto& [checker, broken] : a.broken()) {
    EXPECT_EQ(broken.runs, b.broken().at(checker).runs);
    EXPECT_EQ(broken.first_seed, b.broken().at(checker).first_seed);
  }
}

TEST(TuneSession, goes_on_where_it_was_interrupted) {
  const std::string path = ::testing::TempDir() + "tenure-tune-" + std::to_string(::getpid());
  std::uint64_t kept = 0;
  {
    Count count;
    count.interrupt_at = 25;
    TuneSession session(task_of(kTwo), {}, count);
    ASSERT_TRUE(session.make_settings().empty());
    TuneSave save;
    ASSERT_FALSE(save.open(path, fingerprint_of(session.task()), false));
    EXPECT_TRUE(session.run(save).interrupted);
    EXPECT_TRUE(count.was_interrupted);
    kept = count.last.done;
    EXPECT_LT(kept, count.last.planned);
    forget_interruption();
  }
  Count count;
  TuneSession session(task_of(kTwo), {}, count);
  ASSERT_TRUE(session.make_settings().empty());
  TuneSave save;
  ASSERT_FALSE(save.open(path, fingerprint_of(session.task()), true));
  const TuneFindings& findings = session.run(save);
  EXPECT_FALSE(findings.interrupted);
  EXPECT_EQ(count.last.from_before, kept);
  Count of_one;
  TuneSession whole(task_of(kTwo), {}, of_one);
  ASSERT_TRUE(whole.make_settings().empty());
  TuneSave nowhere;
  const TuneFindings& at_once = whole.run(nowhere);
  EXPECT_EQ(findings.judgement.best, at_once.judgement.best);
  ASSERT_EQ(findings.tuning->size(), at_once.tuning->size());
  for (std::size_t i = 0; i < findings.tuning->size(); ++i)
    expect_same(findings.tuning->outcome(i), at_once.tuning->outcome(i));
  TuneSave foreign;
  EXPECT_EQ(foreign.open(path, "another", true)->kind, TuneSave::Problem::Kind::of_another);
  EXPECT_EQ(foreign.open("/dev/null/x", "another", false)->kind, TuneSave::Problem::Kind::unwritable);
  std::filesystem::remove(path);
}

TEST(TuneSession, says_why_there_is_nothing_to_try) {
  TuneObserver nobody;
  std::string many = "[tune]\nsteps = 200\nobjectives = [\"failover_seconds.mean\"]\n[tune.election]\n";
  for (const char* key : {"lease_duration", "renew_period", "retry_period"})
    many += std::string(key) + " = \"1s..100s\"\n";
  TuneSession session(task_of(many), {}, nobody);
  const std::vector<TuneProblem> problems = session.make_settings();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems.front().what.find("more than 10,000 settings"), std::string::npos);
  EXPECT_GT(diagnostics_of(session.task(), problems).front().line, 0);
}

}  // namespace
}  // namespace tenure::lab
