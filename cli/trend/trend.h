// --baseline FILE: a result beside an earlier one, and what changed beyond noise.
//
//   1. Both are read from the JSON that commands print (docs/reference/json.md), so that what is compared is what can
//      be looked up.
//   2. A number has changed beyond noise if its interval of 95 % and the earlier one have no value in common. Of a
//      share of runs the interval is that of Clopper and Pearson, which is exact; of a percentile it is between two
//      order statistics; of an objective of `tune` it is the one that `tune` prints.
//   3. Two results of one build, file and seeds have no changes: runs are deterministic.
//
// Thread rule: pure functions, but for read(), which reads a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/reports/html/cases_page.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// One number of a result, with its interval.
struct Figure {
  std::string where;  // "leader-crash"; of compare, the design and the situation
  std::string what;   // "runs that fail", "failover_seconds p90"
  double value = 0;
  double low = 0;
  std::optional<double> high;  // none: it is open
  bool low_is_bad = false;
  bool operator==(const Figure&) const = default;
};

struct FigureChange {
  bool is_worse = false;  // else better
  Figure before;
  Figure after;
};

struct Trend {
  std::string baseline;                  // the file
  std::vector<FigureChange> changes;     // the worse ones first
  std::size_t same = 0;                  // figures that are as before, or differ within noise
  std::vector<std::string> only_before;  // figures that one of the two lacks
  std::vector<std::string> only_now;

  std::size_t worse() const;
};

// The ends of the interval of 95 % of a share of which `part` of `whole` were seen. REQUIRES: part <= whole, whole > 0.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
ShareInterval share_interval(std::uint64_t part, std::uint64_t whole);

// All numbers that documents have, one after another in a text.
std::vector<Figure> figures_of(const std::string& documents);

class Baseline {
 public:
  // nullopt, and an error on `streams`, if it cannot be read or holds no result.
  static std::optional<Baseline> read(const std::string& path, Streams& streams);

  // `documents`: JSON as it is printed now. What the file has of other scenarios is left alone.
  Trend compare(const std::string& documents) const;

 private:
  std::string path_;
  std::vector<Figure> figures_;
};

// A failure if something is worse beyond noise; inconclusive if there was nothing to compare.
ExitCode exit_code_of(const Trend& trend);
std::string trend_text(const Trend& trend);
std::string trend_json(const Trend& trend);  // a line
PageSection section_of(const Trend& trend);
// Of a command without reporters.
void tell_trend(const Trend& trend, bool as_json, Streams& streams);

}  // namespace tenure::cli
