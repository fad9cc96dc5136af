// A batch as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "cli/batch.h"

namespace tenure::cli {

std::string text_of_batch(const Batch& batch, const std::string& reproduce_prefix, bool paint);

}  // namespace tenure::cli
