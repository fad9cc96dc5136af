#include <fmt/format.h>

#include <filesystem>

#include "cli/reports/reporters.h"
#include "cli/terminal/clean_text.h"

namespace tenure::cli {

std::string annotation_of(const SuiteCase& each, const Suite& suite) {
  if (each.outcome == CheckStanding::passed || each.outcome == CheckStanding::reported) return {};
  // Files are matched by their path from the root of the repository, to the letter.
  const std::string file = std::filesystem::path(each.path).lexically_normal().generic_string();
  std::string message = each.message.empty() ? std::string(name_of(each.outcome)) : each.message;
  if (!each.kept.empty()) message += fmt::format("\nkept: {}", each.kept);
  if (!each.reproduce.empty()) message += fmt::format("\nreproduce: {}", each.reproduce);
  return fmt::format("::{} file={},line={},title={}::{}\n",
                     each.outcome == CheckStanding::inconclusive ? "warning" : "error",
                     workflow_property(file), each.line,
                     workflow_property(clean_text(fmt::format("{}: {}", suite.scenario, each.name))),
                     workflow_data(clean_text(message)));
}

void GithubReporter::run(const sim::RunResult& result, const sim::Scenario& scenario,
                         const lab::Batch* batch) {
  title_ = scenario.name;
  text_.run(result, scenario, batch);
}

void GithubReporter::batch(const lab::Batch& batch, const std::string& reproduce_prefix) {
  title_ = batch.scenario().name;
  text_.batch(batch, reproduce_prefix);
}

void GithubReporter::replayed(const lab::ReplayedFile& file, bool in_hunt) {
  // Those before a hunt stand in a group of their own, because the hunt has not begun.
  title_ = in_hunt ? "regressions" : file.scenario.name;
  text_.replayed(file, in_hunt);
}

void GithubReporter::found(const lab::HuntFindings& so_far, const lab::Finding& finding) {
  if (open_ && title_ != so_far.title) close_group();
  title_ = so_far.title;
  text_.found(so_far, finding);
}

void GithubReporter::hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
                            const std::string& command) {
  if (open_ && title_ != findings.title) close_group();
  title_ = findings.title;
  text_.hunted(findings, scenario, command);
}

void GithubReporter::left_out(const std::string& title, const std::string& why) {
  close_group();
  title_.clear();  // a line that folds into nothing
  text_.left_out(title, why);
}

void GithubReporter::suite(const Suite& suite) {
  close_group();
  for (const SuiteCase& each : suite.cases)
    if (const std::string text = annotation_of(each, suite); !text.empty()) write_results(streams_, text);
}

ExitCode GithubReporter::end(const Totals& totals) {
  close_group();
  title_.clear();
  return text_.end(totals);
}

void GithubReporter::write(const std::string& text) {
  std::string_view shown = text;
  if (!open_ && !title_.empty()) {
    write_results(streams_, fmt::format("::group::{}\n", workflow_data(title_)));
    open_ = true;
    if (shown.starts_with('\n')) shown.remove_prefix(1);  // between blocks; this is the first
  }
  write_results(streams_, without_commands(shown));
}

void GithubReporter::close_group() {
  if (open_) write_results(streams_, "::endgroup::\n");
  open_ = false;
}

}  // namespace tenure::cli
