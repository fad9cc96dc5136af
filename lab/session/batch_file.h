// What a batch knows, as a line of text (JSON), and back.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/session/batch.h"

namespace tenure::lab {

std::string text_of(const Batch::State& state);
// Nullopt: it is none.
std::optional<Batch::State> read_batch(std::string_view text);

}  // namespace tenure::lab
