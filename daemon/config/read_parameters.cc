#include "daemon/config/read_parameters.h"

namespace tenure::daemon {
namespace {

std::optional<std::int64_t> read_value(TableReader& table, const ParameterSpec& spec) {
  switch (spec.type) {
    case ParameterSpec::Type::duration: {
      const auto read = table.duration(spec.name, Duration::nanos(spec.min), Duration::nanos(spec.max));
      return read ? std::optional(read->ns()) : std::nullopt;
    }
    case ParameterSpec::Type::boolean: {
      const auto read = table.flag(spec.name);
      return read ? std::optional<std::int64_t>(*read ? 1 : 0) : std::nullopt;
    }
    case ParameterSpec::Type::choice: {
      const auto read = table.choice(spec.name, spec.choices);
      return read ? std::optional(static_cast<std::int64_t>(*read)) : std::nullopt;
    }
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm: break;
  }
  return table.whole_number(spec.name, spec.min, spec.max);
}

}  // namespace

void read_parameters(TableReader& table, Parameters& parameters) {
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (const auto value = read_value(table, specs[i])) parameters.set(static_cast<int>(i), *value);
}

}  // namespace tenure::daemon
