#include "format/schema/keys.h"

#include <algorithm>

#include "core/base/check.h"
#include "sim/protocols/registry.h"
#include "sim/scenario/names.h"

namespace tenure::format {
namespace {

using Type = ValueType;

Type type_of(ParameterSpec::Type type) {
  switch (type) {
    case ParameterSpec::Type::duration: return Type::duration;
    case ParameterSpec::Type::count: return Type::count;
    case ParameterSpec::Type::ppm: return Type::ppm;
    case ParameterSpec::Type::boolean: return Type::boolean;
    case ParameterSpec::Type::choice: return Type::choice;
  }
  CHECK(false, "every parameter type has a value type");
}

Type type_of(sim::FaultParameterSpec::Type type) {
  switch (type) {
    case sim::FaultParameterSpec::Type::duration: return Type::duration_range;
    case sim::FaultParameterSpec::Type::ppm: return Type::ppm_range;
    case sim::FaultParameterSpec::Type::fraction: return Type::fraction;
    case sim::FaultParameterSpec::Type::choice: return Type::choice;
    case sim::FaultParameterSpec::Type::destination:
    case sim::FaultParameterSpec::Type::worker: return Type::name;
  }
  CHECK(false, "every fault parameter type has a value type");
}

void add_new(std::vector<KeySpec> more, std::vector<KeySpec>& keys) {
  for (const KeySpec& key : more) {
    const bool known =
        std::any_of(keys.begin(), keys.end(), [&](const KeySpec& k) { return k.name == key.name; });
    if (!known) keys.push_back(key);
  }
}

}  // namespace

std::vector<KeySpec> keys_of(std::span<const ParameterSpec> parameters) {
  std::vector<KeySpec> keys;
  for (const ParameterSpec& p : parameters) {
    KeySpec key;
    key.name = p.name;
    key.type = type_of(p.type);
    key.doc = p.doc;
    key.min = p.min;
    key.max = p.max;
    key.choices = p.choices;
    keys.push_back(key);
  }
  return keys;
}

std::vector<KeySpec> keys_of(std::span<const sim::FaultParameterSpec> parameters) {
  constexpr std::int64_t kWholePpm = 1'000'000;
  std::vector<KeySpec> keys;
  for (const sim::FaultParameterSpec& p : parameters) {
    KeySpec key;
    key.name = p.name;
    key.type = type_of(p.type);
    key.doc = p.doc;
    key.fallback = p.default_text;
    key.required = p.required();
    key.choices = p.choices;
    switch (p.type) {
      case sim::FaultParameterSpec::Type::duration:
        key.min = p.may_be_negative ? -10 * kYearNs : 0;
        key.max = 10 * kYearNs;
        break;
      case sim::FaultParameterSpec::Type::ppm:
        key.min = p.may_be_negative ? -900'000 : 0;
        key.max = 9'000'000;
        break;
      case sim::FaultParameterSpec::Type::fraction:
        key.min = 0;
        key.max = kWholePpm;
        break;
      case sim::FaultParameterSpec::Type::choice:
      case sim::FaultParameterSpec::Type::destination:
      case sim::FaultParameterSpec::Type::worker: break;
    }
    keys.push_back(key);
  }
  return keys;
}

std::vector<KeySpec> keys_of_metrics() {
  std::vector<KeySpec> keys;
  for (const sim::MetricName& metric : sim::kMetricNames) {
    KeySpec key;
    key.name = metric.name;
    key.type = Type::thresholds;
    key.doc = metric.doc;
    keys.push_back(key);
  }
  return keys;
}

std::vector<KeySpec> sweeps_of(std::span<const ParameterSpec> parameters) {
  std::vector<KeySpec> keys = keys_of(parameters);
  for (KeySpec& key : keys) key.type = Type::sweep;
  return keys;
}

std::vector<KeySpec> all_keys(OpenKeys open) {
  std::vector<KeySpec> keys;
  switch (open) {
    case OpenKeys::closed: break;
    case OpenKeys::protocol:
      for (const ElectorKind& kind : elector_kinds()) add_new(keys_of(kind.parameters()), keys);
      break;
    case OpenKeys::sweeps:
      for (const ElectorKind& kind : elector_kinds()) add_new(sweeps_of(kind.parameters()), keys);
      break;
    case OpenKeys::scheduler:
      for (const SchedulerKind& kind : scheduler_kinds()) add_new(keys_of(kind.parameters()), keys);
      break;
    case OpenKeys::scheduling_sweeps:
      for (const SchedulerKind& kind : scheduler_kinds()) add_new(sweeps_of(kind.parameters()), keys);
      break;
    case OpenKeys::fault:
      for (const sim::FaultKind& kind : sim::fault_kinds()) add_new(keys_of(kind.parameters), keys);
      break;
    case OpenKeys::metrics: return keys_of_metrics();
  }
  return keys;
}

std::vector<std::string_view> owners_of(OpenKeys open, std::string_view key) {
  std::vector<std::string_view> owners;
  const auto declares = [&](const auto& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == key; });
  };
  if (open == OpenKeys::protocol || open == OpenKeys::sweeps)
    for (const ElectorKind& kind : elector_kinds())
      if (declares(kind.parameters())) owners.push_back(kind.name);
  if (open == OpenKeys::scheduler || open == OpenKeys::scheduling_sweeps)
    for (const SchedulerKind& kind : scheduler_kinds())
      if (declares(kind.parameters())) owners.push_back(kind.name);
  if (open == OpenKeys::fault)
    for (const sim::FaultKind& kind : sim::fault_kinds())
      if (declares(kind.parameters)) owners.push_back(kind.name);
  return owners;
}

std::string_view name_of(ValueType type) {
  switch (type) {
    case Type::boolean: return "true or false";
    case Type::count: return "whole number";
    case Type::ppm: return "parts per million";
    case Type::fraction: return "fraction";
    case Type::text: return "text";
    case Type::name: return "name";
    case Type::choice: return "choice";
    case Type::names: return "list of names";
    case Type::duration: return "duration";
    case Type::duration_range: return "duration or range";
    case Type::ppm_range: return "parts per million or range";
    case Type::count_range: return "whole number or range";
    case Type::instant: return "instant";
    case Type::instants: return "list of instants";
    case Type::cron: return "cron expression";
    case Type::zone: return "time zone";
    case Type::quantiles: return "distribution";
    case Type::lengths: return "duration, range or distribution";
    case Type::target: return "target";
    case Type::permanent_id: return "id";
    case Type::overlap: return "duration, `forbidden` or `report`";
    case Type::nth: return "whole number or `all`";
    case Type::thresholds: return "bound or list of bounds";
    case Type::sweep: return "value, range or list of values";
    case Type::table: return "table";
    case Type::tables: return "list of tables";
  }
  CHECK(false, "every value type has a name");
}

std::string_view pattern_of(ValueType type) {
  switch (type) {
    case Type::name: return "^[A-Za-z0-9._-]+$";
    case Type::duration: return "^-?([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+$";
    case Type::duration_range:
      return "^-?([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+(\\.\\.-?([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+)?$";
    case Type::ppm_range:
    case Type::count_range: return "^-?[0-9]+(\\.\\.-?[0-9]+)?$";
    case Type::instant:
    case Type::instants:
      return "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$";
    case Type::permanent_id: return "^0x[0-9a-f]{1,16}$";
    case Type::thresholds: return "^(mean|min|max|p[0-9]+(\\.[0-9]+)?) *(<|<=|>|>=) *-?[0-9._e+-]+$";
    default: return {};
  }
}

}  // namespace tenure::format
