#include "cli/commands/journal_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "cli/load.h"
#include "lab/session/output_file.h"

namespace tenure::cli {
namespace {

std::optional<std::string> read_journal(const std::string& path, Streams& streams) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || text.fail()) {
    print_error(streams, fmt::format("cannot read {}: {}", path, lab::system_reason(errno)));
    return std::nullopt;
  }
  return std::move(text).str();
}

}  // namespace

ExitCode bad_journal(const lab::BadJournal& why, Streams& streams) {
  print_error(streams, why.message);
  return ExitCode::bad_scenario;
}

std::optional<ExitCode> read_journals(const std::vector<std::string>& paths,
                                      std::vector<lab::NodeJournal>& journals, Streams& streams) {
  for (const std::string& path : paths) {
    const std::optional<std::string> text = read_journal(path, streams);
    if (!text) return ExitCode::io_error;
    auto journal = lab::read_journal(path, *text, &system_zones());
    if (const auto* why = std::get_if<lab::BadJournal>(&journal)) return bad_journal(*why, streams);
    journals.push_back(std::get<lab::NodeJournal>(std::move(journal)));
  }
  return std::nullopt;
}

}  // namespace tenure::cli
