// The hunt of one scenario: first its regressions, then generation after generation. A failure is saved as soon as it
// is known. After the generation, failures are shrunk and reported, one by one.
//
// The same file and seeds give the same findings, with any number of threads, unless time ends the hunt.
//
// Thread rule: one thread, which starts others. After a cancellation (cancellation.h) these may still use the session,
// if it does not wait for them (jobs.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/hunt/hunt.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/hunt_findings.h"
#include "lab/session/jobs.h"
#include "lab/session/one_run.h"
#include "lab/session/saved_runs.h"
#include "lab/session/scenario_reader.h"

namespace tenure::lab {

struct HuntSetup {
  std::uint64_t first_seed = 1;
  std::uint64_t cases = 1'000;   // at most
  bool open_ended = false;       // as many cases as there is time for; `cases` is larger than that
  std::optional<Duration> time;  // of the wall clock
  unsigned threads = 1;
  bool guided = true;              // false: every case is drawn anew
  bool keep_going = false;         // after a failure
  bool check_determinism = false;  // every case is run twice, and not only a sample
  bool replay = true;              // first replays the saved regressions of this scenario in the folder
  bool shrink = true;
  Duration shrink_time = Duration::seconds(30);
  std::string folder = "regressions";  // where failures are kept
  // How regressions are read. Its zones are those of the scenario.
  ScenarioReader reader = {};
  WhenInterrupted when_interrupted = WhenInterrupted::wait;
  std::string title = {};    // in the findings; empty: the scenario's name
  HuntSave* save = nullptr;  // where cases are written, and taken from; null: nowhere. Outlives the session
};

// Is told what a hunt does, while it does it.
class HuntObserver {
 public:
  HuntObserver() = default;
  HuntObserver(const HuntObserver&) = delete;
  HuntObserver& operator=(const HuntObserver&) = delete;
  virtual ~HuntObserver() = default;

  // The files in the folder of regressions. Those that could not be read are not replayed.
  virtual void regressions_read(const std::vector<ReadScenario>&) {}
  virtual void replayed(const ReplayedFile&) {}
  // Cases and failures so far, and the last case that showed new behaviour, counted from 1.
  virtual void progressed(std::uint64_t /*cases*/, std::uint64_t /*failures*/, std::uint64_t /*last_new*/) {}
  // A failure has been saved, or could not be.
  virtual void saved(const SavedRegression&) {}
  // A finding is about to be shrunk and reported.
  virtual void finishing(const Finding&) {}
  virtual void found(const HuntFindings& /*so_far*/, const Finding&) {}
  // No case comes after this.
  virtual void cases_are_over(std::uint64_t /*cases*/) {}
};

class HuntSession {
 public:
  // `file` and `observer` must outlive the session.
  HuntSession(HuntSetup setup, const format::ScenarioFile& file, HuntObserver& observer);

  // Call once.
  const HuntFindings& run();
  // After it: what the cases did.
  const HuntTotals& totals() const { return hunt_.totals(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Case made;
    CaseOutcome outcome;
    bool compared = false;
    bool is_saved = false;
  };
  Entry make_entry(std::uint64_t index) const;
  void replay_regressions();
  // False after the last generation.
  bool run_generation(std::uint64_t first);
  // False when the hunt should stop.
  bool take(std::uint64_t index, Entry entry);
  bool time_is_up() const;
  void remember(const sim::Scenario& scenario, const Failure& failure, std::uint64_t seed);
  RegressionPlace place_of(std::uint64_t seed) const;
  void report_failures();
  void interrupt_hunt();
  void finish();

  const HuntSetup setup_;
  const format::ScenarioFile& file_;
  HuntObserver& observer_;
  const ThrowingChecks checks_;
  const Clock::time_point began_ = Clock::now();
  Hunt hunt_;
  const std::string saved_as_;  // the group of its cases
  HuntFindings findings_;
  std::vector<Finding> pending_;  // saved, and not yet reported
};

}  // namespace tenure::lab
