#include "core/model/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/model/describe.h"

namespace tenure {
namespace {

// In the order of their values.
constexpr std::string_view kAssumptions[] = {
    "rate-bound", "rates-equal",  "wall-in-step",   "no-store-step",    "no-lost-commits", "no-mono-freeze",
    "no-pause",   "prompt-store", "prompt-at-rest", "reliable-network", "steady-leader",   "no-crash"};

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

int Parameters::declared(std::string_view name) const {
  const int index = find(name);
  CHECK(index >= 0, "a parameter must be declared in its protocol's table");
  return index;
}

void Parameters::set(std::string_view name, Duration value) { set(declared(name), value.ns()); }

std::int64_t Parameters::number(std::string_view name) const { return value(declared(name)); }

Duration Parameters::duration(std::string_view name) const { return Duration::nanos(number(name)); }

std::string_view Parameters::choice(std::string_view name) const {
  const int index = declared(name);
  const ParameterSpec& spec = specs_[static_cast<std::size_t>(index)];
  const auto place = static_cast<std::size_t>(value(index));
  CHECK(place < spec.choices.size(), "a choice is one of its names");
  return spec.choices[place];
}

std::vector<Complaint> out_of_range(const Parameters& parameters) {
  std::vector<Complaint> complaints;
  for (const ParameterSpec& spec : parameters.specs()) {
    const std::int64_t value = parameters.number(spec.name);
    const auto complain = [&](std::string_view how, std::int64_t bound) {
      complaints.push_back(
          {spec.name, "",
           fmt::format("{} ({}) is {} than {}", spec.name, shown(spec, value), how, shown(spec, bound))});
    };
    if (value < spec.min) complain("less", spec.min);
    if (value > spec.max) complain("more", spec.max);
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

std::string_view name_of(Assumption assumption) { return kAssumptions[static_cast<std::size_t>(assumption)]; }

std::optional<Assumption> find_assumption(std::string_view name) {
  const auto found = std::ranges::find(kAssumptions, name);
  if (found == std::end(kAssumptions)) return std::nullopt;
  return static_cast<Assumption>(found - std::begin(kAssumptions));
}

}  // namespace tenure
