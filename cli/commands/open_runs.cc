#include "cli/commands/open_runs.h"

#include <fmt/format.h>

#include "lab/session/output_file.h"

namespace tenure::cli {

std::string why_not_open(const std::string& path, const lab::RunLog::Problem& problem,
                         std::string_view command, std::string_view other) {
  using Kind = lab::RunLog::Problem::Kind;
  switch (problem.kind) {
    case Kind::has_runs:
      return fmt::format(
          "{} holds runs already: --resume goes on with them; or name another file with --save", path);
    case Kind::of_another:
      return fmt::format("{} holds runs of {}: {}name another file with --save", path, other,
                         problem.resuming ? "" : "remove it, or ");
    case Kind::foreign:
      return fmt::format("{} {}holds no runs of `tenure {}`: name another file with --save", path,
                         problem.resuming ? "" : "is there, and ", command);
    case Kind::unwritable: break;
  }
  return fmt::format("cannot write {}: {}", path, lab::system_reason(problem.error));
}

std::string when_interrupted(bool kept, const std::string& path, std::string_view else_what) {
  return kept ? fmt::format("; they are kept in {}, and --resume goes on", path)
              : fmt::format("; {}", else_what);
}

}  // namespace tenure::cli
