// The two ways in which a statement is not run. They are thrown inside this room, since any expression can meet one,
// and leave it as values: Refusal and Error.
//
// Thread rule: plain values.
#pragma once

#include <string>
#include <string_view>

#include "adapters/sql/refusal.h"
#include "adapters/sql/value.h"

namespace tenure::sql {

inline constexpr int kNoPlace = -1;
inline constexpr std::string_view kSeeList = "docs/designs.md lists what is";

// What needs a second session, which one engine has.
inline constexpr std::string_view kOnPostgres = "`engine = \"postgres\"` has it (docs/designs.md)";

// This engine does not run it. `at`: an offset in the text that was parsed.
struct RefusedError {
  std::string what;
  int at = kNoPlace;
  std::string answer = std::string(kSeeList);
};

// Postgres does not run it either.
struct FailedError {
  std::string sqlstate;
  std::string message;
  int at = kNoPlace;
};

// What the engine cannot keep, found while it runs.
inline Error beyond_engine(std::string what) {
  return {Error::Kind::engine, "0A000", std::move(what) + "; " + std::string(kSeeList), 0};
}

}  // namespace tenure::sql
