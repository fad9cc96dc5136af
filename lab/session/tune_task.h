// What to tune: the file with its text, and what it asks for.
//
// Thread rule: values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/plans/plans.h"
#include "lab/session/scenario_reader.h"
#include "lab/tune/setting.h"

namespace tenure::lab {

struct TuneTask {
  TuneFile file;
  std::string name;          // the scenario's
  format::TuneSetting tune;  // nothing to try if the file has no [tune]
  std::optional<format::ProfileSetting> profile;
  bool has_tune = false;
  bool is_refused = false;  // `tenure run` refuses the file: it does not accept its unsafe settings
  std::string identity;     // of the scenario (saved_runs.h)

  // Replaces the file's number of seeds.
  void set_seeds(std::uint64_t seeds);
};

// The task of a file that this reader read from this text. What the reader points at must outlive the task.
TuneTask tune_task(const format::ScenarioFile& file, std::string text, const ScenarioReader& reader);

// What a task depends on besides its settings and seeds, and the version of the program.
std::string fingerprint_of(const TuneTask& task);

// Why something that the file asks for is impossible.
struct TuneProblem {
  format::FilePlace place;
  std::string what;
  std::string hint;
};
// The problems in the form of the scenario parser's errors.
std::vector<format::Diagnostic> diagnostics_of(const TuneTask& task,
                                               const std::vector<TuneProblem>& problems);

// "FILE:12", or "--set".
std::string place_in_words(const TuneTask& task, const format::FilePlace& place);

}  // namespace tenure::lab
