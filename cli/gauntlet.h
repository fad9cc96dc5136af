// The situations that designs are compared in, unless others are named: scenarios/gauntlet. They are in the program, so
// that there is no folder to lose.
//
// Thread rule: immutable.
#pragma once

#include <span>
#include <string_view>

namespace tenure::cli {

struct GauntletFile {
  std::string_view name;  // "crash.toml"
  std::string_view text;
};

// By name.
std::span<const GauntletFile> gauntlet();

}  // namespace tenure::cli
