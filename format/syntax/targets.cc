#include "format/syntax/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace tenure::format {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"leader",   "believer", "standby", "one",
                                                    "minority", "majority", "all"};
constexpr std::array<sim::Target::Kind, 7> kKinds = {sim::Target::Kind::leader,   sim::Target::Kind::believer,
                                                     sim::Target::Kind::standby,  sim::Target::Kind::one,
                                                     sim::Target::Kind::minority, sim::Target::Kind::majority,
                                                     sim::Target::Kind::all};
constexpr std::uint64_t kLargestCounted = 1'000'000'000;

}  // namespace

std::span<const std::string_view> target_names() { return kNames; }

std::optional<sim::Target::Kind> find_target(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return kKinds[i];
  return std::nullopt;
}

std::string_view name_of(sim::Target::Kind kind) {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == kind) return kNames[i];
  CHECK(false, "none and named targets have no name of their own");
}

bool looks_like_instance(std::string_view text) {
  return text.size() > 1 && text.front() == 'n' &&
         text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::string print_permanent_id(std::uint64_t id) {
  return id <= kLargestCounted ? fmt::format("{}", id) : fmt::format("0x{:x}", id);
}

}  // namespace tenure::format
