#include "core/model/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/model/describe.h"

namespace tenure {
namespace {

std::string shown(const ParameterSpec& spec, std::int64_t value) {
  return spec.type == ParameterSpec::Type::duration ? describe(Duration::nanos(value))
                                                    : fmt::format("{}", value);
}

std::string in_words(const Complaint& unsafe) {
  return fmt::format("unsafe: {}; accept = {{\"{}\"}} takes it on purpose", unsafe.text, unsafe.accept);
}

}  // namespace

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

std::string_view Parameters::choice(std::string_view name) const {
  const int index = find(name);
  CHECK(index >= 0, "a parameter must be declared in its protocol's table");
  const ParameterSpec& spec = specs_[static_cast<std::size_t>(index)];
  const auto place = static_cast<std::size_t>(value(index));
  CHECK(place < spec.choices.size(), "a choice is one of its names");
  return spec.choices[place];
}

std::vector<Complaint> out_of_range(const Parameters& parameters) {
  std::vector<Complaint> complaints;
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const ParameterSpec& spec = specs[i];
    const std::int64_t value = parameters.value(static_cast<int>(i));
    if (value < spec.min)
      complaints.push_back(
          {spec.name, "",
           fmt::format("{} ({}) is less than {}", spec.name, shown(spec, value), shown(spec, spec.min))});
    if (value > spec.max)
      complaints.push_back(
          {spec.name, "",
           fmt::format("{} ({}) is more than {}", spec.name, shown(spec, value), shown(spec, spec.max))});
  }
  return complaints;
}

Acceptance judge(std::span<const std::string_view> needed, std::span<const std::string_view> accepted) {
  const auto holds = [](std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Acceptance found;
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (!holds(accepted, needed[i])) found.refused.push_back(i);
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    if (!holds(needed, accepted[i]))
      found.unneeded.push_back(i);
    else if (holds(accepted.first(i), accepted[i]))
      found.repeated.push_back(i);
  }
  return found;
}

std::string objection_to(const std::vector<Complaint>& complaints, std::span<const std::string> accepted) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
  std::vector<std::string_view> needed;
  std::vector<const Complaint*> unsafe;
  for (const Complaint& complaint : complaints) {
    if (complaint.accept.empty()) {
      add(complaint.text);
      continue;
    }
    needed.push_back(complaint.accept);
    unsafe.push_back(&complaint);
  }
  const std::vector<std::string_view> names(accepted.begin(), accepted.end());
  const Acceptance found = judge(needed, names);
  for (const std::size_t i : found.refused)
    if (!unsafe[i]->warning) add(in_words(*unsafe[i]));
  if (!words.empty()) return words;  // ill-formed values may hide what is needed
  for (const std::size_t i : found.unneeded)
    add(fmt::format("`{}` is accepted, and no setting here needs it", names[i]));
  for (const std::size_t i : found.repeated) add(fmt::format("`{}` is accepted twice", names[i]));
  return words;
}

std::vector<std::string> warnings_of(const std::vector<Complaint>& complaints,
                                     std::span<const std::string> accepted) {
  std::vector<std::string> warnings;
  for (const Complaint& complaint : complaints) {
    const bool taken = std::find(accepted.begin(), accepted.end(), complaint.accept) != accepted.end();
    if (complaint.warning && !taken) warnings.push_back(in_words(complaint));
  }
  return warnings;
}

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
    case Assumption::steady_leader: return "steady-leader";
    case Assumption::no_crash: return "no-crash";
  }
  CHECK(false, "every assumption has a name");
}

std::optional<Assumption> find_assumption(std::string_view name) {
  for (auto i = static_cast<int>(Assumption::rate_bound); i <= static_cast<int>(Assumption::no_crash); ++i)
    if (name_of(static_cast<Assumption>(i)) == name) return static_cast<Assumption>(i);
  return std::nullopt;
}

}  // namespace tenure
