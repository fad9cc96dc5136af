// Journals from disk, for commands that audit them.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "lab/audit/audit.h"

namespace tenure::cli {

// Appends all of them; or says what is wrong, and how the command ends.
std::optional<ExitCode> read_journals(const std::vector<std::string>& paths,
                                      std::vector<lab::NodeJournal>& journals, Streams& streams);
ExitCode bad_journal(const lab::BadJournal& why, Streams& streams);

}  // namespace tenure::cli
