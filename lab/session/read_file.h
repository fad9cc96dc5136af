// A file's bytes, or why they are not to be had.
//
// Thread rule: pure but for the file system.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tenure::lab {

// The first `most` bytes, so that a byte more than a limit shows that a file is too long.
std::optional<std::string> read_file(const std::string& path, std::size_t most, std::string& why);

}  // namespace tenure::lab
