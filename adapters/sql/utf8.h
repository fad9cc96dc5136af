// Places in UTF-8.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tenure::sql {

// Where the text stops being UTF-8 as Postgres takes it: no NUL, no overlong forms, no surrogates.
std::optional<std::size_t> first_bad_byte(std::string_view text);

// How many characters begin before `offset`.
int characters_before(std::string_view text, std::size_t offset);

// Where the character with this number, from 0, begins; the end of the text if there are fewer.
std::size_t offset_of_character(std::string_view text, int number);

}  // namespace tenure::sql
