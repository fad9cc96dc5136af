// Distributions: tables in the file, or made from a file of measurements by whoever was handed in.

#include <fmt/format.h>

#include <utility>

#include "format/parse/build.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

// Nothing, after it was said what is wrong.
std::optional<sim::Measured> measured(const DataValue& value, Build& build) {
  const auto at = [&](sim::DataProblem::Of of) { return value.places[static_cast<std::size_t>(of)]; };
  if (build.data_files == nullptr) {
    build.diagnostics.add(at(sim::DataProblem::Of::file), "files of measurements cannot be read here",
                          "write the table of quantiles: `tenure run --print-plan` prints it");
    return std::nullopt;
  }
  auto answer = build.data_files->read(build.scenario.path, value.source);
  if (auto* good = std::get_if<sim::Measured>(&answer)) return std::move(*good);
  const auto& problem = std::get<sim::DataProblem>(answer);
  build.diagnostics.add(at(problem.of), problem.message, problem.hint);
  return std::nullopt;
}

}  // namespace

sim::Quantiles quantiles_of(const Section& section, std::string_view key, Build& build,
                            std::string_view which) {
  const auto* value = std::get_if<DataValue>(&section.value(key));
  if (value == nullptr) return section.quantiles(key);
  std::optional<sim::Measured> read = measured(*value, build);
  if (!read) return {};
  const std::int64_t least = section.spec(key).min;
  const Place& place = value->places[0];
  if (read->quantiles.min().ns() < least)
    build.diagnostics.add(
        place, fmt::format("`{}` can be as short as {}; it must be at least {}", key,
                           print_duration(read->quantiles.min()), print_duration(Duration::nanos(least))));
  if (read->quantiles.max().ns() > kYearNs)
    build.diagnostics.add(
        place, fmt::format("`{}` can be as long as {}; it must be at most {}", key,
                           print_duration(read->quantiles.max()), print_duration(Duration::nanos(kYearNs))));
  build.scenario.data.push_back({fmt::format("{} {}{}", section.title(), which, key), std::move(read->note)});
  return read->quantiles;
}

}  // namespace tenure::format
