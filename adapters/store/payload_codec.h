// What databases keep of a schedule beside its definition, as text.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/store/reference/named.h"

namespace tenure {

// Labels as one object of JSON: {"team":"ops"}. One list has one text.
std::string encode_labels(const std::vector<reference::Label>& labels);
// What is no such object gives no labels.
std::vector<reference::Label> decode_labels(std::string_view text);

// Whether a definition's text (definition_codec.h) says that it is paused, and the same text that says so, or not. They
// read definitions of newer programs, too. What is no object of JSON is not paused, and stays as it is.
bool says_paused(std::string_view definition);
std::string with_paused(std::string_view definition, bool paused);

}  // namespace tenure
