// What each command of `tenure` does, once its arguments are read.
//
// Thread rule: each runs on the main thread; those that simulate start others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::lab {
struct TuneTask;
}

namespace tenure::cli {

struct CommandLines;  // arguments/completion.h

class ApiClient;

// Scenarios and seeds in, verdicts out.
ExitCode run_command(const RunCommandOptions& options, Streams& streams);
// The parts of a campaign (`run` or `hunt` with --campaign), reported as if one machine had made all runs.
ExitCode merge_command(const MergeOptions& options, Streams& streams);
// Many seeds, and the smallest failure of each kind.
ExitCode hunt_command(const HuntOptions& options, Streams& streams);
// Every interleaving of a small cluster, within the bounds of [exhaustive]. A violation fails. A space that is not
// finished, and shows none, is inconclusive.
ExitCode exhaustive_command(const HuntOptions& options, Streams& streams);
// The smallest scenario that fails in the same way.
ExitCode shrink_command(const ShrinkOptions& options, Streams& streams);
// Why one run went wrong; ends as `run` of it does.
ExitCode explain_command(const ExplainOptions& options, Streams& streams);
// The failures that were kept, once more.
ExitCode replay_command(const ReplayOptions& options, Streams& streams);

// Tries settings of a scenario, and says what they cost and where they stop being safe.
ExitCode tune_command(const TuneOptions& options, Streams& streams);
// `tune --explain`: theory of the file's own setting, and what of it simulation confirms.
ExitCode explain_setting(const lab::TuneTask& task, const TuneOptions& options, Streams& streams);
// Whether a file's settings are safe for what it says, by what margin, at what cost, and what would be better.
ExitCode advise_command(const AdviseOptions& options, Streams& streams);
// Designs in the same situations.
ExitCode compare_command(const CompareOptions& options, Streams& streams);

// Says whether scenario files are good, and runs nothing.
ExitCode check_command(const CheckOptions& options, Streams& streams);
// Says whether a program keeps the node protocol (docs/node-protocol.md).
ExitCode check_node_command(const std::vector<std::string>& command, Streams& streams);
// The journals of real processes, held against the simulator's checkers.
ExitCode audit_command(const AuditOptions& options, Streams& streams);
// The scenario with real processes on a real store, and its faults for real; then the audit of their journals.
ExitCode live_command(const LiveOptions& options, Streams& streams);

// The slots of an expression, from a time on.
ExitCode next_command(const NextOptions& options, Streams& streams);
// Measures a real store for a while, and writes the [store] table that a scenario can take.
ExitCode probe_command(const ProbeOptions& options, Streams& streams);
// What a saved watch of Kubernetes leases says of renewals and handovers.
ExitCode observe_command(const ObserveOptions& options, Streams& streams);
// What a scenario can name, from the registries: all, or one of the subjects.
ExitCode list_command(const ListOptions& options, Streams& streams);
std::vector<std::string_view> list_subjects();
// JSON schemas (draft-04) of scenario files, from the table that validates them, and of what the program writes, from
// the tables that document it. Editors use the first to complete and to underline: `#:schema ./scenario.schema.json`
// at the top of a file. Throws UsageError for what is none of the subjects.
ExitCode schema_command(const std::optional<std::string>& subject, Streams& streams);
std::vector<std::string_view> schema_subjects();  // the first is what it is without --of
// Writes a design, a scenario and what else it takes to begin with; replaces no file.
ExitCode init_command(const InitOptions& options, Streams& streams);
std::vector<std::string_view> init_subjects();
// The SQL that makes the tables of a store, for teams that have a tool of their own for migrations: a program finds
// what it made and changes nothing. Throws UsageError for what cannot be printed.
// `lines` is what completions complete.
ExitCode print_command(const std::string& what, const std::string& name, const CommandLines& lines,
                       Streams& streams);

// Clients of a running `tenured` (docs/daemon.md, docs/client.md). They end with 0 if what was asked for is done, 1 if
// the server refuses it (no such schedule, no permission, changed by somebody else) or nobody leads, 65 if the input is
// wrong, and 74 if the server does not answer or cannot.
ExitCode schedule_command(const ScheduleCommandOptions& options, Streams& streams);
ExitCode event_command(const EventCommandOptions& options, Streams& streams);
ExitCode leader_command(const LeaderCommandOptions& options, Streams& streams);
// `schedule apply`: makes schedules be as a document says, and shows what that changes. Each is read, compared, and put
// with the ETag that was read: if somebody else changes it in between, it is refused, and nothing is overwritten.
ExitCode apply_schedules(const ScheduleCommandOptions& options, const ApiClient& api, Streams& streams);

}  // namespace tenure::cli
