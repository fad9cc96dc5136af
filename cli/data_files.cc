#include "cli/data_files.h"

#include <filesystem>

#include "cli/read_file.h"
#include "sim/calibrate/calibrate.h"
#include "sim/scenario/toml/diagnostic.h"

namespace tenure::cli {

std::variant<sim::Measured, sim::DataProblem> DataFolder::read(std::string_view scenario,
                                                               const sim::DataSource& source) const {
  const std::filesystem::path path = std::filesystem::path(scenario).parent_path() / source.file;
  std::string why;
  const auto bytes = read_file(path.string(), sim::kMaxDataBytes + 1, why);
  if (!bytes)
    return sim::DataProblem{
        sim::DataProblem::Of::file, "cannot read " + sim::printable(path.string(), 400) + ": " + why, {}};
  return sim::calibrate(source.file, *bytes, source);
}

}  // namespace tenure::cli
