// Fields that lines of a trace share.
//
// Thread rule: pure functions on a writer of one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/env.h"
#include "lab/session/json_writer.h"
#include "sim/checkers/names.h"
#include "sim/kernel/true_time.h"

namespace tenure::lab {

// The beginning of a line: when, and of which kind.
void begin_line(sim::TrueTime at, std::string_view kind, JsonWriter& json);
void write_who(Incarnation who, JsonWriter& json);
void write_token(const std::optional<Token>& token, JsonWriter& json);
// Resource, schedule, slot, run, token and whether it is done once.
void write_work(const WorkItem& item, const sim::Names& names, JsonWriter& json);
// nullopt: max(), or nullopt.
std::optional<Duration> since_start(const std::optional<sim::TrueTime>& time);
// Texts speak of schedules by their ids; "schedule 3" becomes "schedule 3 (billing)".
std::string with_names(std::string_view text, const sim::Names& names);

}  // namespace tenure::lab
