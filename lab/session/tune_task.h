// What is to be tuned: the file with its text, and what it asks for.
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
  sim::TuneFile file;
  std::string name;       // the scenario's
  sim::TuneSetting tune;  // nothing to try, where the file has no [tune]
  std::optional<sim::ProfileSetting> profile;
  bool has_tune = false;

  // In place of the file's.
  void set_seeds(std::uint64_t seeds);
};

// Of a file that was read with this reader from this text; what the reader points at must outlive the task.
TuneTask tune_task(const sim::ScenarioFile& file, std::string text, const ScenarioReader& reader);

// What a task depends on besides its settings and seeds, and the version of the program.
std::string fingerprint_of(const TuneTask& task);

// Why something that the file asks for cannot be.
struct TuneProblem {
  sim::FilePlace place;
  std::string what;
  std::string hint;
};
// As the parser of scenario files says it.
std::vector<sim::Diagnostic> diagnostics_of(const TuneTask& task, const std::vector<TuneProblem>& problems);

// "FILE:12", or "--set".
std::string place_in_words(const TuneTask& task, const sim::FilePlace& place);

}  // namespace tenure::lab
