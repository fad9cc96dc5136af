// Times, counts and tables as people read them in reports.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "format/syntax/document.h"
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
// " --set KEY=VALUE …", as a shell takes it. `with_seed`: --seed does not say the seed.
std::string shell_sets(const std::vector<format::Override>& sets, bool with_seed = true);
// "  label       text\n", as reports have their rows.
std::string row(std::string_view label, std::string_view text);
// "1 error", "2 errors".
std::string counted(std::size_t count, std::string_view what);

// Columns are as wide as what is in them.
class Table {
 public:
  // The first columns are flush left, the others flush right.
  explicit Table(std::size_t to_the_left) : to_the_left_(to_the_left) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Each line after `indent`, with nothing behind its last letter.
  std::string text(std::string_view indent) const;

 private:
  std::size_t to_the_left_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tenure::cli
