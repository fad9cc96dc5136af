#include "adapters/process/program.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "adapters/process/elector.h"
#include "adapters/process/messages.h"
#include "core/base/hash.h"
#include "core/base/host_failure.h"

namespace tenure::process {
namespace {

constexpr std::uint64_t kFirstTwins = 16;
constexpr std::uint64_t kOneIn = 16;

// The text of the command, and of the files that it names.
std::uint64_t hash_of(const Launch& launch) {
  std::ostringstream all;
  for (const std::string& word : launch.command) {
    all << word << '\n';
    const std::filesystem::path path = std::filesystem::path(launch.folder) / word;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error))
      all << std::ifstream(path, std::ios::binary).rdbuf() << '\n';
  }
  return hash_text(all.str());
}

// Of what it has said: after a traceback, that is the error.
std::string last_line(std::string_view said) {
  while (said.ends_with('\n')) said.remove_suffix(1);
  return std::string(said.substr(said.rfind('\n') + 1));
}

}  // namespace

std::string Program::ask(Origin& origin, Description& description) const {
  std::string problem;
  Standard standard = make_standard();
  Ends forks = socket_pair();
  standard.theirs.forks = std::move(forks.theirs);
  const int process = spawn(launch_, standard.theirs, problem);
  if (process == 0) return fmt::format("cannot run `{}`: {}", launch_.command.front(), problem);
  standard.theirs = {};
  auto child = std::make_unique<Child>(std::move(standard.ours), process,
                                       [process](int grace_ms) { return end_process(process, grace_ms); });
  const Child::Heard heard = child->ask(describe_line(), patience_);
  switch (heard) {
    case Child::Heard::silence:
      throw HostFailure(
          fmt::format("`{}` was asked what it is, and has not answered", launch_.command.front()));
    case Child::Heard::too_much: return "it was asked what it is, and has answered more than a line";
    case Child::Heard::end: {
      const std::string how = child->end(1'000);
      const std::string said = last_line(child->take_said());
      return fmt::format("it was asked what it is, and ended with {}{}{}", how, said.empty() ? "" : ": ",
                         said);
    }
    case Child::Heard::line: break;
  }
  problem = description.read(child->answer());
  if (problem.empty() && description.copies_itself)
    origin.server = std::make_unique<ForkServer>(std::move(child), std::move(forks.ours));
  return problem;
}

std::unique_ptr<Child> Program::begin(Origin& origin) const {
  if (description_.copies_itself) {
    const std::lock_guard lock(origin.mutex);
    if (origin.server == nullptr) {
      Description again;
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

std::unique_ptr<Child> Program::begin_twin() const {
  const std::uint64_t life = lives_++;
  return life < kFirstTwins || life % kOneIn == 0 ? begin(second_) : nullptr;
}

std::unique_ptr<const Program> Program::read(Launch launch, MakeStore make_store,
                                             std::chrono::milliseconds patience, std::string& problem) {
  std::unique_ptr<Program> program(new Program(std::move(launch), patience));
  Description& said = program->description_;
  problem = program->ask(program->first_, said);
  if (!problem.empty()) return nullptr;
  program->file_ = {program->launch_.folder, hash_of(program->launch_)};
  ElectorKind& kind = program->kind_;
  if (!said.schema.empty()) {
    if (make_store == nullptr)
      problem = "a schema needs a store for SQL, and there is none here";
    else
      kind.store = make_store(said.schema, problem);
    if (kind.store == nullptr) {
      problem = "schema: " + problem;
      return nullptr;
    }
  }
  const Program* const self = program.get();
  kind.name = said.name;
  kind.summary = said.summary;
  kind.has_tokens = said.tokens;
  kind.design = &program->file_;
  kind.parameters = {self, [](const void* of) -> std::span<const ParameterSpec> {
                       return static_cast<const Program*>(of)->description_.parameters;
                     }};
  kind.claims = {self, [](const void* of) { return static_cast<const Program*>(of)->description_.claims; }};
  kind.make = {self, [](const void* of, const ElectorSetup& setup) {
                 return make_elector(*static_cast<const Program*>(of), setup);
               }};
  return program;
}

}  // namespace tenure::process
