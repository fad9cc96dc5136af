#include "lab/session/read_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "lab/session/output_file.h"

namespace tenure::lab {

std::optional<std::string> read_file(const std::string& path, std::size_t most, std::string& why) {
  constexpr std::size_t kPiece = 1'000'000;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  while (file && text.size() < most) {
    const std::size_t before = text.size();
    text.resize(before + std::min(kPiece, most - before));
    file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (!file && !file.eof()) {
    why = system_reason(errno);
    return std::nullopt;
  }
  return text;
}

}  // namespace tenure::lab
