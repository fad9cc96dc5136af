#include "lab/session/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/hash.h"

namespace tenure::lab {
namespace {

std::string with_digest_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Hasher hasher;
  std::uint64_t size = 0;
  std::vector<char> piece(1 << 16);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    const auto read = static_cast<std::size_t>(file.gcount());
    size += read;
    std::fill(piece.begin() + static_cast<std::ptrdiff_t>(read), piece.end(), '\0');
    for (std::size_t at = 0; at < read; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, piece.data() + at, sizeof word);
      hasher.add(word);
    }
  }
  if (size == 0) return std::string(version());
  return fmt::format("{} {:016x}", version(), hasher.add(size).value());
}

}  // namespace

std::string_view version() { return TENURE_VERSION; }

std::string_view program() {
  static const std::string kProgram = with_digest_of("/proc/self/exe");
  return kProgram;
}

}  // namespace tenure::lab
