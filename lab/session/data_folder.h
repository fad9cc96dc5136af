// The files of measurements that scenarios name, from disk.
//
// A path is relative to the folder of the scenario that names it. A file is read each time it is named, and at most a
// little more of it than lab/calibrate takes.
//
// Thread rule: immutable; any thread may ask.
#pragma once

#include "sim/scenario/data_files.h"

namespace tenure::lab {

class DataFolder final : public sim::DataFiles {
 public:
  std::variant<sim::Measured, sim::DataProblem> read(std::string_view scenario,
                                                     const sim::DataSource& source) const override;
};

}  // namespace tenure::lab
