#include "adapters/process/self_description.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "adapters/process/messages.h"

namespace tenure::process {
namespace {

using design::Json;
using design::Nonsense;

constexpr std::array<std::string_view, 4> kOwnKeys = {"tenure", "copies_itself", "validates", "writes"};

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
    writes = flag_or_false(json, "writes");
    design.read(json, kOwnKeys, make_store);
    if (writes && !design.elects())
      throw Nonsense{"`writes` is for an election; `run` does the work of a slot"};
    return {};
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}

}  // namespace tenure::process
