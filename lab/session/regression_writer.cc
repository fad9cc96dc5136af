#include "lab/session/regression_writer.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "format/print/print.h"
#include "lab/session/cancellation.h"
#include "lab/session/output_file.h"

namespace tenure::lab {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& path, const std::string& text) {
  std::ostringstream there;
  there << std::ifstream(path, std::ios::binary).rdbuf();
  return there.str() == text;
}

// The first name that nobody has, or whose file says just this, or is our own of before.
std::string free_path(const SavedRegression& saved, const std::string& text, const std::string& folder) {
  const fs::path base = fs::path(folder) / saved.file.scenario.name;
  std::string path = base.string() + ".toml";
  for (int n = 2;; ++n) {
    std::error_code error;
    const bool taken = fs::exists(fs::symlink_status(path, error));
    if (!taken || (saved.made && path == saved.path) || holds(path, text)) return path;
    path = fmt::format("{}-{}.toml", base.string(), n);
  }
}

// A literal case, and its run.
struct Tried {
  sim::Scenario scenario;
  SeedRun outcome;
};

// Without the faults that did not strike, if it fails all the same.
Tried without_idle_faults(const sim::Scenario& failing, const Failure& failure) {
  Tried whole{failing, run_seed(failing, *failing.seed)};
  if (!whole.outcome.run) return whole;
  Tried lean{lab::without_idle_faults(failing, *whole.outcome.run), {}};
  if (lean.scenario.faults.size() == failing.faults.size()) return whole;
  lean.outcome = run_seed(lean.scenario, *failing.seed);
  return find_same(lean.outcome.failures, failure) != nullptr ? lean : whole;
}

// The design's file or folder, as a path from the folder that the regression is kept in; empty: it is none.
std::string design_from(const DesignFile* file, const RegressionPlace& place) {
  if (file == nullptr) return {};
  const fs::path folder = place.file.empty() ? fs::path(place.folder) : fs::path(place.file).parent_path();
  const fs::path design = fs::absolute(file->path).lexically_normal();
  return design.lexically_relative(fs::absolute(folder / ".").lexically_normal()).generic_string();
}

// As a regression, with the run of what its file says, for the story.
void fill_in(SavedRegression& saved, const sim::Scenario& failing, const RegressionPlace& place) {
  const Tried tried = without_idle_faults(failing, saved.failure);
  const sim::RunResult* reached = tried.outcome.run ? &*tried.outcome.run : nullptr;
  saved.file = as_regression(tried.scenario, saved.failure, reached, place.origin);
  saved.file.scenario.design = design_from(failing.protocol->design, place);
  if (failing.scheduler != nullptr)
    saved.file.scenario.scheduler_design = design_from(failing.scheduler->design, place);
  const std::optional<format::ScenarioFile> read = as_its_file_says(saved.file, *place.zones);
  SeedRun again;
  if (read) again = tell_seed(*read, *read->scenario.seed);
  const bool same_trace = reached == nullptr || (again.run && again.run->trace_hash == reached->trace_hash);
  saved.reproducible = same_trace && find_same(again.failures, saved.failure) != nullptr;
  saved.run = std::move(again.run);
}

void write_down(SavedRegression& saved, const RegressionPlace& place) {
  const std::string text = format::print_scenario(saved.file);
  const std::string path = place.file.empty() ? free_path(saved, text, place.folder) : place.file;
  const bool ours = saved.made && saved.path == path;
  const std::string replaced = saved.made && !ours ? saved.path : "";
  std::error_code error;
  saved.made = ours || !fs::exists(fs::symlink_status(path, error));
  saved.path = path;
  saved.file.scenario.path = saved.path;
  const FileWritten written = write_file(saved.path, text);
  saved.written = written.good;
  saved.write_error = written.error;
  if (saved.written && !replaced.empty()) fs::remove(replaced, error);
}

}  // namespace

SavedRegression save_regression(const sim::Scenario& failing, const Failure& failure,
                                const RegressionPlace& place) {
  SavedRegression saved;
  saved.failure = failure;
  saved.found = failing;
  fill_in(saved, failing, place);
  write_down(saved, place);
  return saved;
}

bool shrink_saved(SavedRegression& saved, const RegressionPlace& place, Duration time,
                  const TryCase& attempt) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(time.ns());
  Shrunk shrunk =
      shrink(saved.found, saved.failure, {.try_case = attempt, .zones = *place.zones, .go_on = [end] {
                                            return std::chrono::steady_clock::now() < end && !is_cancelled();
                                          }});
  SavedRegression smaller = saved;
  smaller.shrunk = shrunk.end;
  smaller.tries = shrunk.tries;
  smaller.failure = shrunk.failure;
  shrunk.scenario.expect.sometimes =
      saved.found.expect.sometimes;  // what it reaches is seen by asking for all
  fill_in(smaller, shrunk.scenario, place);
  if (!smaller.reproducible) {
    // What was found is worth more than what was made of it and cannot be repeated.
    saved.reproducible = false;
    return false;
  }
  saved = std::move(smaller);
  write_down(saved, place);
  return true;
}

}  // namespace tenure::lab
