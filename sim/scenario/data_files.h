// Files of measurements that a scenario uses: `latency = { file = "pg.csv" }`.
//
// The parser does no I/O. Its caller hands in a DataFiles, which returns a table of quantiles and a note about its
// source. From then on the scenario is literal: it holds the table, and is printed with it.
//
// Thread rule: values; DataFiles may be asked by any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "sim/models/quantiles.h"

namespace tenure::sim {

// As the scenario says it; empty if it says nothing.
struct DataSource {
  std::string file = {};    // relative to the scenario's own
  std::string column = {};  // the column of a CSV file; the metric of a Prometheus file
  std::string unit = {};    // of numbers that have none: ns, us, ms, s, m, h
  std::string format = {};  // numbers, csv, gc, prometheus; otherwise detected from the content
  std::string take = {};    // gc: lengths or gaps
};

struct Measured {
  Quantiles quantiles;
  std::string note;  // "pg.csv: csv, column `ms`, 1,000 samples, 2 empty cells skipped"
};

struct DataProblem {
  // Which key of the source to underline.
  enum class Of : std::uint8_t { file, column, unit, format, take };
  Of of = Of::file;
  std::string message;
  std::string hint;
};

class DataFiles {
 public:
  DataFiles() = default;
  DataFiles(const DataFiles&) = delete;
  DataFiles& operator=(const DataFiles&) = delete;
  virtual ~DataFiles() = default;

  // `scenario` is the path of the file that names the source.
  virtual std::variant<Measured, DataProblem> read(std::string_view scenario,
                                                   const DataSource& source) const = 0;
};

// A key of a scenario that was read from a file, for reports.
struct DataNote {
  std::string key;  // "[store] latency"
  std::string text;
  bool operator==(const DataNote&) const = default;
};

}  // namespace tenure::sim
