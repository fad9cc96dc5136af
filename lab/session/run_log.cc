#include "lab/session/run_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace tenure::lab {

namespace {

// Whether something follows the first line, which was read.
bool has_more(std::istream& file) {
  for (std::string text; std::getline(file, text);)
    if (!text.empty()) return true;
  return false;
}

}  // namespace

// Whose results are at the beginning of a file; nullopt: it holds none.
std::optional<std::string> RunLog::owner_of(std::istream& file) const {
  std::string text;
  const auto head = std::getline(file, text) ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
  if (!head.is_object() || !head.contains(kind_)) return std::nullopt;
  return head.value("of", "");
}

// A file without runs can be written anew; anything else is somebody's.
std::optional<RunLog::Problem> RunLog::why_not_anew(const std::string& fingerprint) const {
  std::ifstream file(path_, std::ios::binary);
  if (!std::filesystem::is_regular_file(path_) || file.peek() == std::ifstream::traits_type::eof())
    return std::nullopt;
  const auto owner = owner_of(file);
  if (!owner) return Problem{Problem::Kind::foreign, false, 0};
  if (!has_more(file)) return std::nullopt;
  return Problem{owner == fingerprint ? Problem::Kind::has_runs : Problem::Kind::of_another, false, 0};
}

std::optional<RunLog::Problem> RunLog::open(const std::string& path, const std::string& fingerprint,
                                            bool resume,
                                            const std::function<void(std::string_view line)>& see) {
  path_ = path;
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  const bool goes_on = resume && exists;
  if (goes_on)
    if (const auto problem = read(fingerprint, see)) return problem;
  if (exists && !goes_on)
    if (const auto problem = why_not_anew(fingerprint)) return problem;
  errno = 0;
  file_.open(path, std::ios::binary | (goes_on ? std::ios::app : std::ios::trunc));
  // After what may have been cut off, a new line.
  file_ << (goes_on ? "\n" : fmt::format("{{\"{}\":1,\"of\":\"{}\"}}\n", kind_, fingerprint));
  file_.flush();
  if (file_.good()) return std::nullopt;
  return Problem{Problem::Kind::unwritable, goes_on, errno};
}

std::optional<RunLog::Problem> RunLog::read(const std::string& fingerprint,
                                            const std::function<void(std::string_view line)>& see) const {
  std::ifstream file(path_, std::ios::binary);
  const auto owner = owner_of(file);
  if (!owner) return Problem{Problem::Kind::foreign, true, 0};
  if (owner != fingerprint) return Problem{Problem::Kind::of_another, true, 0};
  for (std::string text; std::getline(file, text);) see(text);
  return std::nullopt;
}

}  // namespace tenure::lab
