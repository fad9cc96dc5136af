// A file's bytes, or why they cannot be read.
//
// Thread rule: pure, except for the file system.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tenure::lab {

// Reads the first `most` bytes. Ask for one byte more than a limit to see that a file is too long.
std::optional<std::string> read_file(const std::string& path, std::size_t most, std::string& why);

}  // namespace tenure::lab
