#include "adapters/process/self_description.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "adapters/process/messages.h"

namespace tenure::process {
namespace {

using design::Json;
using design::Nonsense;

constexpr std::array<std::string_view, 3> kOwnKeys = {"tenure", "copies_itself", "validates"};

bool flag_or_false(const Json& json, const char* key) {
  return json.contains(key) && design::flag(json[key], key);
}

void check_version(const Json& json) {
  const std::int64_t version = design::whole(design::field(json, "tenure"), "tenure");
  if (version != kVersion)
    throw Nonsense{
        fmt::format("it speaks version {} of the protocol, and this is version {}", version, kVersion)};
}

}  // namespace

std::string SelfDescription::read(std::string_view line, design::MakeStore make_store) {
  try {
    const Json json = design::object_of(line);
    check_version(json);
    copies_itself = flag_or_false(json, "copies_itself");
    validates = flag_or_false(json, "validates");
    if (json.contains("role") && (json["role"] == "scheduler" || json["role"] == "both"))
      throw Nonsense{"a program is an election, and `role` says otherwise; a scheduler is a design in Lua"};
    design.read(json, kOwnKeys, make_store);
    return {};
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}

}  // namespace tenure::process
