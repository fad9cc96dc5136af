#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <variant>

#include "cli/client/schedule_document.h"
#include "cli/commands/commands.h"
#include "format/syntax/diagnostic.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kLongestDocument = std::size_t{64} << 20;
constexpr std::size_t kShownName = 200;

enum class Change { created, changed, unchanged, failed };

struct AppliedSchedule {
  std::string name;
  Change change = Change::failed;
  std::vector<std::string> lines;  // how it differs
  std::string etag;                // after it; empty: nothing was done
};

std::string_view word_of(Change change, bool dry_run) {
  switch (change) {
    case Change::created: return dry_run ? "would be created" : "created";
    case Change::changed: return dry_run ? "would be changed" : "changed";
    case Change::unchanged: return "unchanged";
    case Change::failed: break;
  }
  return "failed";
}

// Asks the server what a put would do, without doing it. Throws what it says against the schedule.
std::string result_without_putting(const ApiClient& api, const Json& schedule) {
  const Json body = {{"schedules", Json::array({schedule})}, {"dry_run", true}};
  const Json answer = api.ask({"POST", "/v1/schedules:bulk", body.dump(), {}}).json;
  const Json& results = part_at(answer, "results");
  if (!results.is_array() || results.empty()) return {};
  const Json& problem = part_at(results.front(), "problem");
  if (!problem.is_null())
    throw ClientError(ExitCode::bad_scenario, words_of_problem(problem), kHttpBadRequest);
  return text_at(results.front(), "result");
}

AppliedSchedule apply_one(const ApiClient& api, const Json& schedule, bool dry_run) {
  AppliedSchedule applied;
  applied.name = schedule["name"].get<std::string>();
  const std::string path = schedule_path(applied.name);
  Json before = Json::object();
  std::string etag;
  try {
    ApiClient::Answer found = api.ask({"GET", path, std::nullopt, {}});
    before = normal_form(found.json);
    etag = found.etag;
  } catch (const ClientError& error) {
    if (error.status() != kHttpNotFound) throw;
  }
  applied.lines = differences(before, normal_form(schedule));
  bool same = !etag.empty() && applied.lines.empty();
  // One definition can be written in ways that only the server knows to be the same.
  if (!same && (dry_run || !etag.empty())) same = result_without_putting(api, schedule) == "unchanged";
  if (same) {
    applied.change = Change::unchanged;
    applied.lines.clear();
    return applied;
  }
  if (!dry_run) {
    ClientRequest put{"PUT", path, schedule.dump(), {}};
    if (etag.empty())
      put.headers.emplace_back("If-None-Match", "*");
    else
      put.headers.emplace_back("If-Match", etag);
    try {
      applied.etag = api.ask(put).etag;
    } catch (const ClientError& error) {
      if (error.status() != kHttpPreconditionFailed) throw;
      throw ClientError(error.code(),
                        std::string(error.what()) + "\n  somebody else changed it just now: apply again",
                        error.status());
    }
  }
  applied.change = etag.empty() ? Change::created : Change::changed;
  return applied;
}

void show(const AppliedSchedule& applied, bool dry_run, Streams& streams) {
  if (applied.change == Change::unchanged || applied.change == Change::failed) return;
  streams.out << fmt::format("{} {} {}\n", applied.change == Change::created ? "+" : "~",
                             format::printable(applied.name, kShownName), word_of(applied.change, dry_run));
  for (const std::string& line : applied.lines) streams.out << "    " << line << "\n";
}

std::optional<std::string> document_of(const std::string& file, Streams& streams) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::string why;
  auto text = lab::read_file(file, kLongestDocument, why);
  if (!text)
    print_error(streams, fmt::format("cannot read {}: {}", format::printable(file, kShownName), why));
  return text;
}

void print_json(const std::vector<AppliedSchedule>& all, bool dry_run, Streams& streams) {
  Json list = Json::array();
  for (const AppliedSchedule& each : all) {
    Json one = {{"name", each.name}, {"result", word_of(each.change, false)}, {"differences", each.lines}};
    if (!each.etag.empty()) one["etag"] = each.etag;
    list.push_back(one);
  }
  streams.out << Json{{"dry_run", dry_run}, {"schedules", list}}.dump(2) << "\n";
}

}  // namespace

ExitCode apply_schedules(const ScheduleCommandOptions& options, const ApiClient& api, Streams& streams) {
  const auto text = document_of(options.file, streams);
  if (!text) return ExitCode::io_error;
  const std::string shown = options.file == "-" ? "standard input" : options.file;
  const auto read = read_schedules(shown, *text);
  if (const auto* wrong = std::get_if<WrongDocument>(&read)) {
    streams.err << wrong->text;
    return ExitCode::bad_scenario;
  }
  const bool as_text = options.format == Format::text;
  std::vector<AppliedSchedule> all;
  ExitCode code = ExitCode::pass;
  for (const Json& schedule : std::get<std::vector<Json>>(read)) {
    try {
      all.push_back(apply_one(api, schedule, options.dry_run));
    } catch (const ClientError& error) {
      const std::string name = schedule["name"].get<std::string>();
      print_error(streams, fmt::format("{}: {}", format::printable(name, kShownName), error.what()));
      code = worse(code, error.code());
      all.push_back({name, Change::failed, {}, {}});
      if (error.status() == 0) break;  // nobody is there
    }
    if (as_text) show(all.back(), options.dry_run, streams);
  }
  if (!as_text) {
    print_json(all, options.dry_run, streams);
    return code;
  }
  std::string counts;
  for (const Change change : {Change::created, Change::changed, Change::unchanged, Change::failed}) {
    const auto count = std::count_if(all.begin(), all.end(),
                                     [&](const AppliedSchedule& each) { return each.change == change; });
    if (count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word_of(change, options.dry_run));
  }
  streams.out << counts << "\n";
  return code;
}

}  // namespace tenure::cli
