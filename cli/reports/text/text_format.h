// Times and counts as people read them in reports.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "core/base/time.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/names.h"

namespace tenure::cli {

// To the millisecond, rounded down: "16.2s", "1m16.201s", "14ms"; below a millisecond as it is.
std::string short_duration(Duration duration);
// Seconds alone, likewise: "31.2".
std::string short_seconds(Duration duration);
// A time in the run, for a column: "1m16.201".
std::string column_time(sim::TrueTime time);
// A metric's value, in billionths of its unit: "31.2s", "1,204", "0.7/s".
std::string metric_value(std::int64_t nano, sim::MetricName::Unit unit);
// An argument as a POSIX shell takes it.
std::string shell_quoted(std::string_view text);
// "  label       text\n", as reports have their rows.
std::string row(std::string_view label, std::string_view text);
// "1 error", "2 errors".
std::string counted(std::size_t count, std::string_view what);

}  // namespace tenure::cli
