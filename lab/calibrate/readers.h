// One reader for each format. Internal to this room; calibrate.cc chooses one.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/scenario/data_files.h"

namespace tenure::lab {

struct DataText {
  std::string_view name;  // as messages call it
  std::string_view bytes;
};

struct MeasuredReading {
  sim::Quantiles quantiles;
  std::string what;  // "csv, column `ms`, 1,000 samples"
  // "2 empty cells"; reports add "skipped" to each.
  std::vector<std::string> skipped;
};
using ReadResult = std::variant<MeasuredReading, sim::DataProblem>;

ReadResult read_numbers(const DataText& text, const sim::DataSource& source);
ReadResult read_csv(const DataText& text, const sim::DataSource& source);
ReadResult read_gc_log(const DataText& text, const sim::DataSource& source);
ReadResult read_prometheus(const DataText& text, const sim::DataSource& source);

// The next line and its number, from 1; nullopt at the end.
class LineReader {
 public:
  explicit LineReader(std::string_view bytes) : rest_(bytes) {}
  std::optional<std::string_view> next();
  std::uint64_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::uint64_t number_ = 0;
};

// The separator of a header's columns; '\0': there is only one column.
char separator_of(std::string_view header);

// "pg.csv:17: `abc` is not a number"
sim::DataProblem problem_at(const DataText& text, std::uint64_t line, std::string_view what,
                            std::string hint = {});
sim::DataProblem no_sample(const DataText& text, std::string_view what);
sim::DataProblem no_unit(const DataText& text);
// "1 line", "1,000 samples"
std::string count_of(std::uint64_t count, std::string_view what, std::string_view several);

}  // namespace tenure::lab
