#include "lab/session/data_folder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "format/syntax/diagnostic.h"
#include "lab/calibrate/calibrate.h"
#include "lab/session/read_file.h"

namespace tenure::lab {

std::variant<sim::Measured, sim::DataProblem> DataFolder::read(std::string_view scenario,
                                                               const sim::DataSource& source) const {
  const std::filesystem::path path = std::filesystem::path(scenario).parent_path() / source.file;
  std::string why = "it is no regular file";  // a pipe would be waited for
  std::error_code unknown;                    // then opening it says why
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  const bool other = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const auto bytes = other ? std::nullopt : read_file(path.string(), kMaxDataBytes + 1, why);
  if (!bytes)
    return sim::DataProblem{
        sim::DataProblem::Of::file, "cannot read " + format::printable(path.string(), 400) + ": " + why, {}};
  return calibrate(source.file, *bytes, source);
}

}  // namespace tenure::lab
