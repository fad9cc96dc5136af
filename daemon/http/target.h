// The target of a request: its path and its query, decoded. And names as HTTP compares them.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenure::daemon {

// "%2F" is "/". `plus`: "+" is a space, as in queries. nullopt: not well-formed, not UTF-8, or with a NUL.
std::optional<std::string> percent_decoded(std::string_view text, bool plus = false);
// Of everything but letters, digits, `-`, `.`, `_` and `~`.
std::string percent_encoded(std::string_view text);

// With letters of ASCII in lower case: as names of fields and hosts are compared.
std::string lower_case(std::string_view text);
// Without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// The segments of a path that begins with a slash, decoded one by one. nullopt: one of them is not well-formed.
std::optional<std::vector<std::string>> path_segments(std::string_view path);

using QueryPairs = std::vector<std::pair<std::string, std::string>>;
// "a=1&b" as ("a", "1") and ("b", ""). nullopt: a part is not well-formed.
std::optional<QueryPairs> query_pairs(std::string_view query);

}  // namespace tenure::daemon
