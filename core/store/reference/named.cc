#include "core/store/reference/named.h"

#include <algorithm>
#include <cctype>

#include "core/base/readable_text.h"
#include "core/store/reference/problems.h"

namespace tenure::reference {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string problem_of_name(std::string_view name) {
  if (name.empty()) return "the name is empty";
  if (name.size() > kNameBytes)
    return "the name has " + std::to_string(name.size()) + " bytes, and may have " +
           std::to_string(kNameBytes);
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (is_letter_or_digit(c)) continue;
    if (at == 0)
      return "the name `" + readable_text(name) +
             "` does not begin with a letter (A to Z, a to z) or a digit";
    if (c != '.' && c != '_' && c != '-')
      return "the name `" + readable_text(name) + "` has, at place " + std::to_string(at + 1) +
             ", what a name cannot have: it has letters (A to Z, a to z), digits, `.`, `_` and `-`";
  }
  return {};
}

std::string problem_of(const PutNamed& asked) {
  Problems problems;
  problems.add(problem_of_name(asked.name));
  if (!asked.expected && !asked.name.empty() && std::all_of(asked.name.begin(), asked.name.end(), is_digit))
    problems.add(
        "the name `" + asked.name +
        "` has digits only: such names are those of schedules that were put by number; add a letter");
  if (asked.definition.paused)
    problems.add("the definition is paused: put it, and pause it by a request of its own");
  problems.add(problem_of_delivery(asked.definition));
  problems.check(asked.payload);
  problems.check_text("actor", asked.actor, kNameBytes);
  return problems.take();
}

std::string problem_of(const DeleteNamed& asked) {
  Problems problems;
  problems.add(problem_of_name(asked.name));
  problems.check_text("actor", asked.actor, kNameBytes);
  return problems.take();
}

std::string problem_of(const PauseNamed& asked) {
  Problems problems;
  problems.add(problem_of_name(asked.name));
  problems.check_text("actor", asked.actor, kNameBytes);
  problems.check_text("why", asked.why, kTextBytes);
  return problems.take();
}

std::string as_reason(std::string_view text) {
  std::string reason;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const bool control = static_cast<unsigned char>(text[at]) < 0x20 && text[at] != '\n' && text[at] != '\t';
    const std::string_view next = length == 0 || control ? std::string_view("?") : text.substr(at, length);
    if (reason.size() + next.size() > kTextBytes) break;
    reason += next;
    at += std::max<std::size_t>(length, 1);
  }
  return reason;
}

std::string problem_of_reason(std::string_view why) {
  Problems problems;
  problems.check_text("why", why, kTextBytes);
  return problems.take();
}

std::string name_of_number(ScheduleId schedule) { return std::to_string(schedule.value); }

}  // namespace tenure::reference
