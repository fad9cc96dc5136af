// The designs that are shipped in scenarios/designs/, as scenario files there name them.
//
// Thread rule: as the command line's files.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/designs.h"
#include "cli/engines.h"
#include "format/parse/parse.h"

namespace tenure::sim {

// A scenario as if it stood in scenarios/designs/.
inline Scenario parsed(const std::string& text) {
  format::ParseResult read = format::parse_scenario(TENURE_SOURCE_DIR "/scenarios/designs/here.toml", text,
                                                    {}, only_utc(), nullptr, cli::store_engines(), nullptr,
                                                    format::Unsafe::must_be_accepted, &cli::design_files());
  for (const format::Diagnostic& each : read.diagnostics) ADD_FAILURE() << each.message;
  return read.scenario.value();
}

}  // namespace tenure::sim
