// A batch as a JSON document on one line, after those of its runs.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "cli/batch.h"

namespace tenure::cli {

std::string json_of_batch(const Batch& batch);

}  // namespace tenure::cli
