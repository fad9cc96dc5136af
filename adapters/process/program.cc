#include "adapters/process/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "adapters/process/messages.h"
#include "core/base/hash.h"
#include "core/base/host_failure.h"
#include "core/base/readable_text.h"
#include "sim/stores/statements/requests.h"

namespace tenure::process {
namespace {

constexpr std::uint64_t kFirstTwins = 16;
constexpr std::uint64_t kOneIn = 16;

bool names_a_file(const Launch& launch, const std::string& word) {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::path(launch.folder) / word, error);
}

// The text of the command, and of the files that it names.
std::uint64_t hash_of(const Launch& launch) {
  std::ostringstream all;
  for (const std::string& word : launch.command) {
    all << word << '\n';
    if (names_a_file(launch, word))
      all << std::ifstream(std::filesystem::path(launch.folder) / word, std::ios::binary).rdbuf() << '\n';
  }
  return hash_text(all.str());
}

// The line that tells why: the last one, as after a traceback; in Go it is the first one of a panic.
std::string line_that_tells(std::string_view said) {
  while (said.ends_with('\n')) said.remove_suffix(1);
  if (said.starts_with("panic: ")) return std::string(said.substr(0, said.find('\n')));
  return std::string(said.substr(said.rfind('\n') + 1));
}

// What came instead of a line. REQUIRES: it is no silence.
std::string what_came(Child& child, Child::Result result) {
  if (result == Child::Result::too_much) return "has answered more than a line";
  if (result == Child::Result::too_long)
    return fmt::format("has answered a line of more than {} bytes", Child::kLongestAnswer);
  const std::string how = child.end(Child::kGraceMs);
  const std::string said = line_that_tells(child.take_said());
  return fmt::format("ended with {}{}{}", how, said.empty() ? "" : ": ", said);
}

}  // namespace

std::string name_of(const Launch& launch) {
  const auto is_file = [&launch](const std::string& word) { return names_a_file(launch, word); };
  const auto file = std::find_if(launch.command.rbegin(), launch.command.rend(), is_file);
  return file != launch.command.rend() ? *file : launch.command.front();
}

Program::Program(Launch launch, design::MakeStore make_store, std::chrono::milliseconds patience)
    : launch_(std::move(launch)), name_(name_of(launch_)), make_store_(make_store), patience_(patience) {}

std::string Program::ask(Origin& origin, SelfDescription& description) const {
  std::string problem;
  Standard standard = make_standard();
  Ends forks = socket_pair();
  standard.theirs.forks = std::move(forks.theirs);
  const int process = spawn(launch_, standard.theirs, problem);
  if (process == 0) return fmt::format("cannot run `{}`: {}", launch_.command.front(), problem);
  standard.theirs = {};
  auto child = std::make_unique<Child>(std::move(standard.ours), process,
                                       [process](int grace_ms) { return end_process(process, grace_ms); });
  // It may have to be compiled first: it is silent if it does not even say so.
  const Child::Result result = child->ask(describe_line(), patience_, true);
  if (result == Child::Result::silence)
    throw HostFailure(
        fmt::format("{} was asked what it is, and has not answered for {} ms", name_, patience_.count()));
  if (result != Child::Result::line)
    return fmt::format("it was asked what it is, and {}", what_came(*child, result));
  problem = description.read(child->answer(), make_store_);
  if (problem.empty() && description.copies_itself)
    origin.server = std::make_unique<ForkServer>(std::move(child), std::move(forks.ours));
  return problem;
}

std::unique_ptr<Child> Program::begin(Origin& origin) const {
  if (description_.copies_itself) {
    const std::lock_guard lock(origin.mutex);
    if (origin.server == nullptr) {
      SelfDescription again;
      if (const std::string problem = ask(origin, again); !problem.empty() || origin.server == nullptr)
        throw HostFailure("the program was good when it was read, and now: " + problem);
    }
    return origin.server->copy();
  }
  std::string problem;
  auto child = Child::start(launch_, problem);
  if (child == nullptr)
    throw HostFailure(fmt::format("cannot run `{}`: {}", launch_.command.front(), problem));
  return child;
}

Program::Answer Program::ask_once(const std::string& line, std::string_view to_do) const {
  const std::lock_guard lock(asking_);
  const auto known = answers_.find(line);
  if (known != answers_.end()) return known->second;
  const std::unique_ptr<Child> child = begin(first_);
  const Child::Result result = child->ask(line, patience_);
  if (result == Child::Result::silence)
    throw HostFailure(
        fmt::format("{} was asked to {}, and has not answered for {} ms", name_, to_do, patience_.count()));
  Answer answer;
  if (result == Child::Result::line)
    answer.line = child->answer();
  else
    answer.problem = "it " + what_came(*child, result);
  return answers_.emplace(line, std::move(answer)).first->second;
}

std::vector<Complaint> Program::complaints(const Parameters& values) const {
  const Answer answer = ask_once(validate_line(values), "validate parameters");
  std::vector<Complaint> complaints;
  const std::string problem =
      answer.problem.empty() ? read_complaints(answer.line, values, complaints) : answer.problem;
  return problem.empty() ? complaints : design::failed_validation(values, problem);
}

std::variant<Request, std::string> Program::edit(const ScheduleEdit& edit) const {
  const std::string_view what = edit.definition != nullptr ? "put_schedule" : "delete_schedule";
  const Answer answer = ask_once(edit_line(edit), what);
  statements::EditSchedule made;
  const std::string problem =
      answer.problem.empty() ? read_statements(answer.line, made.statements) : answer.problem;
  if (!problem.empty()) return fmt::format("{}: {}", what, readable_text(problem));
  made.resource = edit.resource;
  made.schedule = edit.schedule;
  if (edit.definition != nullptr) made.definition = *edit.definition;
  made.from = edit.now;
  return Request{statements::Request{std::move(made)}};
}

std::unique_ptr<Child> Program::begin_twin() const {
  const std::uint64_t life = lives_++;
  return life < kFirstTwins || life % kOneIn == 0 ? begin(second_) : nullptr;
}

std::unique_ptr<const Program> Program::read(Launch launch, design::MakeStore make_store,
                                             std::chrono::milliseconds patience, std::string& problem) {
  std::unique_ptr<Program> program(new Program(std::move(launch), make_store, patience));
  SelfDescription& said = program->description_;
  problem = program->ask(program->first_, said);
  if (!problem.empty()) return nullptr;
  program->file_ = {program->launch_.folder, hash_of(program->launch_)};
  program->make_kinds();
  return program;
}

}  // namespace tenure::process
