// All that became of one scenario, check by check: what a CI server wants to know, whatever the command.
//
// The reports for machines other than ours (JUnit, annotations, Markdown) are printed from this and from nothing else,
// so that they agree with one another. Equal for equal input, whatever -j: no wall-clock time, no host name.
//
// Thread rule: values; pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/session/hunt_findings.h"
#include "sim/runner/result.h"

namespace tenure::cli {

struct SuiteCase {
  // The worst last.
  enum class CheckStanding : std::uint8_t {
    passed,
    reported,      // not a pass, and nothing that was demanded either
    inconclusive,  // demanded, and nobody knows
    failed,
    broken,  // the program, not what it judges
  };
  std::string name =
      {};  // a checker, an event of `sometimes`, a threshold; "determinism", "regression FILE", …
  std::string kind = {};  // "always", "eventually", "sometimes", "threshold"; or the name's first word
  CheckStanding outcome = CheckStanding::passed;
  std::string message = {};    // one line; empty when there is nothing to say
  std::string story = {};      // lines; may be empty
  std::string reproduce = {};  // a command line; may be empty
  std::string kept = {};       // the file that a hunt wrote it to; may be empty
  std::string path = {};       // where to look: a file,
  int line = 1;                // and a line of it
};

struct Suite {
  std::string scenario = {};  // its name
  std::string path = {};
  std::string extent = {};  // "seed 7", "seeds 1..100"
  std::vector<SuiteCase> cases = {};
  std::vector<std::string> never = {};  // what was never reached: "fault 2 (pause)", "failover"
  std::vector<std::string> notes = {};  // what a reader must know to read it right
  std::string left_out = {};            // "not hunted"; empty when it was done, or interrupted
};

using CheckStanding = SuiteCase::CheckStanding;

std::string_view name_of(SuiteCase::CheckStanding outcome);
SuiteCase::CheckStanding worst_of(const Suite& suite);
std::size_t count_of(const Suite& suite, SuiteCase::CheckStanding outcome);

// The line of the file that a reader is sent to: that which demands the check, else that of the last fault before
// `at`, else the first.
int line_for(std::string_view check, const sim::Scenario& scenario, const std::vector<sim::FaultRun>& faults,
             sim::TrueTime at);

// A hunt cut short looks no better than what it did. `file` is the scenario that was hunted.
Suite suite_of_hunt(const lab::HuntFindings& findings, const sim::Scenario& file);
// A regression by itself.
Suite suite_of_replay(const lab::ReplayedFile& file);
// A scenario that was to run, and never did.
Suite suite_of_nothing(const sim::Scenario& scenario, SuiteCase::CheckStanding outcome, std::string why);

// What says that not all was done that was to be done.
SuiteCase incomplete(std::string message, const sim::Scenario& scenario);

}  // namespace tenure::cli
