// What is to be tuned: the file with its text, and what it asks for.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "lab/tune/setting.h"

namespace tenure::cli {

struct TuneTask {
  sim::TuneFile file;
  sim::TuneSetting tune;
  std::optional<sim::ProfileSetting> profile;
  std::string name;
};

// Nothing, with the errors on stderr and their code, when there is nothing that could be tuned.
std::optional<TuneTask> read_tune_task(const TuneOptions& options, ExitCode& code, Streams& streams);

// An error that is known only after parsing, at its place in the file.
void complain(const TuneTask& task, const sim::FilePlace& place, std::string what, std::string hint,
              Streams& streams);

// "t.toml:17"; of what an override says, "--set".
std::string place_in_words(const TuneTask& task, const sim::FilePlace& place);

}  // namespace tenure::cli
