#include "core/model/parameters.h"

#include "core/base/check.h"

namespace tenure {

Parameters::Parameters(std::span<const ParameterSpec> specs) : specs_(specs) {
  values_.reserve(specs.size());
  for (const ParameterSpec& spec : specs) values_.push_back(spec.default_value);
}

int Parameters::find(std::string_view name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].name == name) return static_cast<int>(i);
  return -1;
}

void Parameters::set(std::string_view name, Duration value) {
  const int index = find(name);
  CHECK(index >= 0, "a parameter must be declared in its protocol's table");
  set(index, value.ns());
}

std::int64_t Parameters::number(std::string_view name) const {
  const int index = find(name);
  CHECK(index >= 0, "a parameter must be declared in its protocol's table");
  return value(index);
}

Duration Parameters::duration(std::string_view name) const { return Duration::nanos(number(name)); }

std::string_view name_of(Assumption assumption) {
  switch (assumption) {
    case Assumption::rate_bound: return "rate-bound";
    case Assumption::rates_equal: return "rates-equal";
    case Assumption::wall_in_step: return "wall-in-step";
    case Assumption::no_store_step: return "no-store-step";
    case Assumption::no_lost_commits: return "no-lost-commits";
    case Assumption::no_mono_freeze: return "no-mono-freeze";
    case Assumption::no_pause: return "no-pause";
    case Assumption::prompt_store: return "prompt-store";
    case Assumption::prompt_at_rest: return "prompt-at-rest";
    case Assumption::reliable_network: return "reliable-network";
    case Assumption::no_crash: return "no-crash";
  }
  CHECK(false, "every assumption has a name");
}

}  // namespace tenure
