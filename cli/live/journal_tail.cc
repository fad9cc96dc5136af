#include "cli/live/journal_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "cli/load.h"

namespace tenure::cli {

std::vector<journal::Line> JournalTail::more() {
  std::vector<journal::Line> lines;
  if (!file_.open()) file_ = process::Descriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.open()) return lines;
  std::array<char, 65536> buffer{};
  while (true) {
    const auto got = read(file_.get(), buffer.data(), buffer.size());
    if (got <= 0) return lines;
    rest_.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t from = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
      auto read = journal::decode(std::string_view(rest_).substr(from, end - from), &system_zones());
      if (auto* line = std::get_if<journal::Line>(&read)) lines.push_back(std::move(*line));
      has_lines_ = true;
      from = end + 1;
    }
    rest_.erase(0, from);
  }
}

}  // namespace tenure::cli
