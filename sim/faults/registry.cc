#include "sim/faults/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "sim/faults/faults.h"

namespace tenure::sim {
namespace {

const FaultParameter& find(const FaultInjection& strike, std::string_view name) {
  const auto found = std::find_if(strike.parameters.begin(), strike.parameters.end(),
                                  [&](const FaultParameter& parameter) { return parameter.name == name; });
  CHECK(found != strike.parameters.end(), "a literal fault has every parameter of its table");
  return *found;
}

// As a file says it: 0.1.
std::string fraction_text(std::int64_t ppm) {
  constexpr std::int64_t kWhole = 1'000'000;
  std::string digits = std::to_string(kWhole + ppm % kWhole).substr(1);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return std::to_string(ppm / kWhole) + (digits.empty() ? "" : "." + digits);
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
#define TENURE_KIND(fault) fault,
  static const std::array kinds = {TENURE_FAULTS(TENURE_KIND)};
#undef TENURE_KIND
  return kinds;
}

std::string_view name_of(FaultFamily family) {
  constexpr std::string_view kNames[kFaultFamilies] = {"process", "pause",       "clock",   "network",
                                                       "store",   "store-clock", "failover"};
  return kNames[static_cast<std::size_t>(family)];
}

const FaultKind* find_fault_kind(std::string_view name) {
  for (const FaultKind& kind : fault_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

std::int64_t FaultInjection::number(std::string_view name) const {
  const auto& value = find(*this, name).value;
  if (const auto* range = std::get_if<Range<std::int64_t>>(&value)) return range->low;
  return std::get<std::int64_t>(value);
}

Duration FaultInjection::length(std::string_view name) const {
  return std::get<Range<Duration>>(find(*this, name).value).low;
}

std::string_view FaultInjection::choice(std::string_view name) const {
  return std::get<std::string>(find(*this, name).value);
}

std::string strike_text(const FaultInjection& strike, std::string_view target) {
  std::string text = fmt::format("{} {}", strike.setting->action, target);
  for (const FaultParameter& parameter : strike.parameters) {
    if (parameter.name == "destination" || parameter.name == "worker") continue;  // the target
    text += " " + parameter.name + "=";
    if (const auto* length = std::get_if<Range<Duration>>(&parameter.value))
      text += describe(length->low);
    else if (const auto* range = std::get_if<Range<std::int64_t>>(&parameter.value))
      text += std::to_string(range->low);
    else if (const auto* number = std::get_if<std::int64_t>(&parameter.value))
      text += fraction_text(*number);
    else
      text += std::get<std::string>(parameter.value);
  }
  if (strike.duration != Duration{} && strike.duration != Duration::max())
    text += " for " + describe(strike.duration);
  return text;
}

}  // namespace tenure::sim
