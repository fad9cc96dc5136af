#include "lab/compare/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/print/print.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "sim/protocols/registry.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kShown = 60;
// Settings that are not the design's: the database that its statements run on, and the program around it.
struct Surrounding {
  std::string_view name;
  std::string_view key;  // of a scenario; its value is a text
};
constexpr Surrounding kSurroundings[] = {{"engine", "store.engine"},
                                         {"on_loss", "work.on_loss"},
                                         {"startup", "work.startup"},
                                         {"warmup", "work.warmup"}};

ReadCandidate refused(std::string problem, std::string hint = {}) {
  return {std::nullopt, std::move(problem), std::move(hint)};
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "scenarios/designs/shedlock/shedlock.lua" is "shedlock.lua".
std::string without_folder(std::string_view design) {
  return std::string(design.substr(design.rfind('/') + 1));
}

template <class Kind>
std::string names_hint(std::string_view name, std::span<const std::reference_wrapper<const Kind>> kinds) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  const std::string close = format::suggestion(name, names);
  const bool is_program = name.find_first_of("./") != std::string_view::npos;
  if (is_program)
    return "a design is a file in Lua, whose name ends in `.lua`, or the command of a program: \"python3 "
           "adapters/process/shims/python/tenure my_node.py\", as one word";
  return close + ", or the path of a design in Lua";
}

// The kinds of a program: an election, or an election with its own scheduler.
ReadCandidate find_program(Candidate candidate, const sim::DesignFiles& designs) {
  for (std::string& word : parts_of(candidate.protocol, ' '))
    if (!word.empty()) candidate.command.push_back(std::move(word));
  const sim::DesignFiles::Found found = designs.find_program(candidate.command, {}, {});
  if (!found.problem.empty()) return refused(found.problem, found.hint);
  if (found.kind == nullptr)
    return refused(fmt::format("{} is a scheduler alone", format::printable(candidate.protocol, kShown)),
                   "a program is compared that elects, or that does both");
  if (!candidate.scheduler.empty() && found.scheduler != nullptr)
    return refused(fmt::format("{} is its own scheduler", format::printable(candidate.protocol, kShown)),
                   "leave out what stands after `+`");
  candidate.kind = found.kind;
  candidate.scheduler_kind = found.scheduler;
  return {std::move(candidate)};
}

// Fills in who elects and who schedules.
ReadCandidate find_kinds(Candidate candidate, const sim::DesignFiles* designs) {
  const auto is_file = [designs](std::string_view name) {
    return designs != nullptr && designs->names_one(name);
  };
  if (designs != nullptr && candidate.protocol.find(' ') != std::string::npos) {
    ReadCandidate program = find_program(std::move(candidate), *designs);
    if (!program.candidate) return program;
    candidate = *std::move(program.candidate);
  } else if (is_file(candidate.protocol)) {
    const sim::DesignFiles::Found found = designs->find(candidate.protocol, {});
    if (!found.problem.empty()) return refused(found.problem);
    if (found.kind == nullptr)
      return refused(fmt::format("{} is a scheduler alone", candidate.protocol),
                     fmt::format("name an election before it, like fenced-lease+{}", candidate.protocol));
    candidate.kind = found.kind;
    // A program that is its own scheduler has both roles.
    if (candidate.scheduler.empty() && found.scheduler != nullptr) {
      candidate.scheduler = candidate.protocol;
      candidate.scheduler_kind = found.scheduler;
    }
  } else {
    candidate.kind = find_elector_kind(candidate.protocol);
    if (candidate.kind == nullptr)
      return refused(fmt::format("there is no design `{}`", format::printable(candidate.protocol, kShown)),
                     names_hint(candidate.protocol, elector_kinds()));
  }
  if (candidate.scheduler.empty() || candidate.scheduler_kind != nullptr) return {std::move(candidate)};
  if (is_file(candidate.scheduler)) {
    const sim::DesignFiles::Found found = designs->find(candidate.scheduler, {});
    if (!found.problem.empty()) return refused(found.problem);
    candidate.scheduler_kind = found.scheduler;
  } else {
    candidate.scheduler_kind = find_scheduler_kind(candidate.scheduler);
  }
  if (candidate.scheduler_kind == nullptr)
    return refused(fmt::format("there is no scheduler `{}`", format::printable(candidate.scheduler, kShown)),
                   names_hint(candidate.scheduler, scheduler_kinds()));
  return {std::move(candidate)};
}

bool has(std::span<const ParameterSpec> specs, std::string_view name) {
  return std::any_of(specs.begin(), specs.end(),
                     [name](const ParameterSpec& spec) { return spec.name == name; });
}

std::span<const ParameterSpec> scheduler_parameters(const Candidate& candidate) {
  return candidate.scheduler_kind == nullptr ? std::span<const ParameterSpec>()
                                             : candidate.scheduler_kind->parameters();
}

// "15/10/2": the election's durations, in their order.
ReadCandidate set_durations(Candidate candidate, std::string_view text) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : candidate.kind->parameters())
    if (spec.type == ParameterSpec::Type::duration) names.push_back(spec.name);
  const std::vector<std::string> values = parts_of(text, '/');
  if (values.size() > names.size())
    return refused(fmt::format("`{}` gives {} durations, and {} has {}", format::printable(text, kShown),
                               values.size(), candidate.protocol, names.size()),
                   fmt::format("in this order: {}", fmt::join(names, "/")));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty())
      return refused(fmt::format("`{}` leaves `{}` empty", format::printable(text, kShown), names[i]),
                     fmt::format("by name instead, like {}=5s", names[i]));
    const bool bare = values[i].find_first_not_of("0123456789.") == std::string::npos;
    candidate.settings.push_back({fmt::format("election.{}", names[i]), values[i] + (bare ? "s" : "")});
  }
  return {std::move(candidate)};
}

// A setting that only one of the two parts has needs no part: "batch", and "election.request_timeout".
constexpr std::string_view kElection = "election.";
constexpr std::string_view kScheduling = "scheduling.";

ReadCandidate set_one(Candidate candidate, std::string_view key, std::string_view value) {
  if (value.empty())
    return refused(fmt::format("`{}` gives `{}` no value", format::printable(candidate.name, kShown),
                               format::printable(key, kShown)),
                   "leave it out to have its default");
  for (const Surrounding& each : kSurroundings) {
    if (key != each.name) continue;
    candidate.settings.push_back({std::string(each.key), format::quoted(value)});
    return {std::move(candidate)};
  }
  std::string_view name = key;
  bool election = true;
  bool scheduling = true;
  if (key.starts_with(kElection)) {
    name.remove_prefix(kElection.size());
    scheduling = false;
  } else if (key.starts_with(kScheduling)) {
    name.remove_prefix(kScheduling.size());
    election = false;
  }
  const std::span<const ParameterSpec> of_election = candidate.kind->parameters();
  const std::span<const ParameterSpec> of_scheduling = scheduler_parameters(candidate);
  election = election && has(of_election, name);
  scheduling = scheduling && has(of_scheduling, name);
  if (election && scheduling)
    return refused(fmt::format("both parts of `{}` have a setting `{}`", candidate.name, name),
                   fmt::format("{0}{2} or {1}{2}", kElection, kScheduling, name));
  if (!election && !scheduling) {
    std::vector<std::string_view> names;
    for (const ParameterSpec& spec : of_election) names.push_back(spec.name);
    for (const ParameterSpec& spec : of_scheduling) names.push_back(spec.name);
    return refused(fmt::format("`{}` has no setting `{}`", format::printable(candidate.protocol, kShown),
                               format::printable(key, kShown)),
                   format::suggestion(name, names));
  }
  const auto& specs = election ? of_election : of_scheduling;
  const auto spec = std::find_if(specs.begin(), specs.end(),
                                 [name](const ParameterSpec& each) { return each.name == name; });
  // A choice is text, though it may look like a number: 0.29.
  const bool is_text = spec->type == ParameterSpec::Type::choice;
  candidate.settings.push_back({fmt::format("{}{}", election ? kElection : kScheduling, name),
                                is_text ? format::quoted(value) : std::string(value)});
  return {std::move(candidate)};
}

// What a text begins with that names the design, or its scheduler; what follows is its settings.
struct Named {
  std::string name;
  std::string_view rest;
};

// Paths may have `:` and `+` themselves: a file that is there comes first, as long a name as there is one of; then what
// looks like the path of a design. `ends`: what can follow the name.
Named split_name(std::string_view text, std::string_view ends, const sim::DesignFiles* designs,
                 IsFile* is_file) {
  // Of a command, the last word. A space among settings makes none: "client-go:15/10, on_loss=exit".
  const std::string_view plain = text.substr(0, text.find_first_of(":./ "));
  const bool is_command = text.substr(plain.size(), 1) != ":";
  const std::size_t space = is_command ? text.rfind(' ') : std::string_view::npos;
  const std::size_t word = space == std::string_view::npos ? 0 : space + 1;
  const auto cut = [text](std::size_t at) { return Named{std::string(text.substr(0, at)), text.substr(at)}; };
  std::vector<std::size_t> places;
  for (std::size_t at = word; (at = text.find_first_of(ends, at)) != std::string_view::npos; ++at)
    places.push_back(at);
  places.push_back(text.size());
  const auto path = [&](std::size_t at) { return text.substr(word, at - word); };
  const auto is_path = [&](std::size_t at) { return path(at).find_first_of("./") != std::string_view::npos; };
  if (designs != nullptr && is_file != nullptr) {
    const auto found = std::find_if(places.rbegin(), places.rend(),
                                    [&](std::size_t at) { return is_path(at) && is_file(path(at)); });
    if (found != places.rend()) return cut(*found);
  }
  if (designs != nullptr && is_path(places.front())) {
    const auto named = std::find_if(places.begin(), places.end(),
                                    [&](std::size_t at) { return designs->names_one(path(at)); });
    if (named != places.end()) return cut(*named);
  }
  return cut(places.front());
}

// The setting that is given twice; empty: none is.
std::string_view given_twice(const Candidate& candidate) {
  for (auto it = candidate.settings.begin(); it != candidate.settings.end(); ++it)
    if (std::any_of(candidate.settings.begin(), it,
                    [&](const format::Override& set) { return set.key == it->key; }))
      return it->key;
  return {};
}

}  // namespace

ReadCandidate read_candidate(std::string_view text, const sim::DesignFiles* designs, IsFile* is_file) {
  Named named = split_name(text, ":+", designs, is_file);
  Candidate candidate;
  candidate.protocol = std::move(named.name);
  candidate.name = without_folder(candidate.protocol);
  if (named.rest.starts_with('+')) {
    named = split_name(named.rest.substr(1), ":", designs, is_file);
    if (named.name.empty())
      return refused(fmt::format("`{}` names no scheduler after `+`", format::printable(text, kShown)));
    candidate.scheduler = std::move(named.name);
    candidate.name += "+" + without_folder(candidate.scheduler);
  }
  candidate.name += named.rest;
  ReadCandidate read = find_kinds(std::move(candidate), designs);
  if (!read.candidate || named.rest.empty()) return read;
  for (const std::string& setting : parts_of(named.rest.substr(1), ',')) {
    const std::size_t equals = setting.find('=');
    if (setting.empty())
      read = refused(fmt::format("`{}` has an empty setting", format::printable(text, kShown)),
                     "a `:` or a `,` too many");
    else if (equals == std::string::npos)
      read = set_durations(*std::move(read.candidate), setting);
    else
      read = set_one(*std::move(read.candidate), std::string_view(setting).substr(0, equals),
                     std::string_view(setting).substr(equals + 1));
    if (!read.candidate) return read;
  }
  if (const std::string_view twice = given_twice(*read.candidate); !twice.empty())
    return refused(fmt::format("`{}` sets {} twice", format::printable(text, kShown), twice));
  return read;
}

}  // namespace tenure::lab
