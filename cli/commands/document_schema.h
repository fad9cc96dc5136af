// JSON schemas of what the program writes (lab/session/document_spec.h).
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/session/document_spec.h"

namespace tenure::cli {

std::string schema_of(const lab::DocumentSpec& spec);

}  // namespace tenure::cli
