// A batch as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/session/batch.h"

namespace tenure::cli {

std::string text_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix, bool paint);

}  // namespace tenure::cli
