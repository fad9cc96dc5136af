#include "cli/exit_code.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace tenure::cli {
namespace {

constexpr std::array kWorstFirst = {ExitCode::interrupted,  ExitCode::internal_error,
                                    ExitCode::io_error,     ExitCode::usage,
                                    ExitCode::bad_scenario, ExitCode::not_deterministic,
                                    ExitCode::nothing_ran,  ExitCode::fail,
                                    ExitCode::inconclusive, ExitCode::pass};

}  // namespace

ExitCode worse(ExitCode a, ExitCode b) {
  return std::find(kWorstFirst.begin(), kWorstFirst.end(), a) <
                 std::find(kWorstFirst.begin(), kWorstFirst.end(), b)
             ? a
             : b;
}

ExitCode exit_code_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::pass: return ExitCode::pass;
    case sim::Verdict::fail: return ExitCode::fail;
    case sim::Verdict::inconclusive: return ExitCode::inconclusive;
  }
  CHECK(false, "every verdict has an exit code");
}

ExitCode exit_code_of(const lab::Replayed& replayed) {
  if (replayed.failure) return ExitCode::fail;
  return replayed.state == lab::Replayed::State::stale ? ExitCode::inconclusive : ExitCode::pass;
}

ExitCode exit_code_of(const lab::SavedRegression& saved) {
  if (!saved.written) return ExitCode::io_error;
  return saved.reproducible ? ExitCode::pass : ExitCode::internal_error;
}

ExitCode exit_code_of(const lab::HuntFindings& findings) {
  ExitCode code = exit_code_of(verdict_of(findings));
  for (const lab::Finding& finding : findings.findings) code = worse(code, exit_code_of(finding.saved));
  return findings.difference.empty() ? code : worse(code, ExitCode::not_deterministic);
}

}  // namespace tenure::cli
