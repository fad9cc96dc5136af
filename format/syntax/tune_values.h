// Values of tuned parameters as text, and measures.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/plans/tune_setting.h"
#include "format/syntax/units.h"

namespace tenure::format {

std::string_view name_of(TuneSetting::Search search);

// As written in a file or an override: "15s", "500", "true".
std::string print_tune_value(TuneType type, std::int64_t value);
// The same, in quotes if TOML needs them.
std::string quote_tune_value(TuneType type, std::int64_t value);

// "failover_seconds.p99", "store_requests_per_second": a metric or a rate, and a statistic of it. A metric with many
// samples in each run needs a statistic; otherwise it is the mean.
Parsed<TuneMeasure> parse_measure(std::string_view text);

// "2 a month", "0.5 per day": in millionths of an event in 30 days.
Parsed<std::int64_t> parse_frequency(std::string_view text);

}  // namespace tenure::format
