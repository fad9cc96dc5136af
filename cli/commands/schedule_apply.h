// `tenure schedule apply`: makes schedules be as a document says, and shows what that changes.
//
// Each schedule is read, compared, and put with the ETag that was read: if somebody else changes it in between, it is
// refused, and nothing is overwritten.
//
// Thread rule: runs on the main thread.
#pragma once

#include "cli/commands/schedule_command.h"

namespace tenure::cli {

ExitCode apply_schedules(const ScheduleCommandOptions& options, const ApiClient& api, Streams& streams);

}  // namespace tenure::cli
