// A batch as a JSON document on one line, after those of its runs.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/session/batch.h"

namespace tenure::cli {

// `kind`: its first field, if it is to have one. `reproduce_prefix` and a seed are the command line that runs one of
// its runs alone.
std::string json_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix,
                          std::string_view kind = {});

}  // namespace tenure::cli
