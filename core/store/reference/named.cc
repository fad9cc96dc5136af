#include "core/store/reference/named.h"

#include <algorithm>
#include <cctype>

#include "core/base/readable_text.h"

namespace tenure::reference {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// All that is wrong, as one text.
class Problems {
 public:
  void add(const std::string& problem) {
    if (!problem.empty()) text_ += (text_.empty() ? "" : "; ") + problem;
  }
  // A text of at most `bytes`, in UTF-8 and without control characters but line breaks and tabs.
  void check_text(const std::string& what, std::string_view text, std::size_t bytes) {
    if (text.size() > bytes)
      add(what + " has " + std::to_string(text.size()) + " bytes, and may have " + std::to_string(bytes));
    const auto is_control = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r';
    };
    if (std::any_of(text.begin(), text.end(), is_control)) add(what + " has a control character");
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = utf8_length(text, at);
      if (length == 0) return add(what + " is no UTF-8 from byte " + std::to_string(at) + " on");
      at += length;
    }
  }
  void check(const Payload& payload) {
    const auto& [topic, type, data, labels, description] = payload;
    check_text("payload.topic", topic, kNameBytes);
    check_text("payload.type", type, kNameBytes);
    check_text("payload.data", data, kDataBytes);
    check_text("payload.description", description, kTextBytes);
    if (labels.size() > kLabels)
      add("payload.labels: there are " + std::to_string(labels.size()) + ", and may be " +
          std::to_string(kLabels));
    for (const Label& label : labels) {
      if (label.name.empty()) add("payload.labels: a label has no name");
      check_text("payload.labels: the name `" + readable_text(label.name) + "`", label.name, kNameBytes);
      check_text("payload.labels: the value of `" + readable_text(label.name) + "`", label.value, kTextBytes);
    }
    const auto not_before = [](const Label& one, const Label& next) { return one.name >= next.name; };
    if (std::adjacent_find(labels.begin(), labels.end(), not_before) != labels.end())
      add("payload.labels are not ordered by name, or have one name twice");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

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

std::string name_of_number(ScheduleId schedule) { return std::to_string(schedule.value); }

}  // namespace tenure::reference
