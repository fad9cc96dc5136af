// Reads from disk the files of measurements that scenarios name.
//
// A path is relative to the folder of the scenario that names it. A file is read each time it is named, up to a little
// more than lab/calibrate accepts.
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
