#include "tests/differential/oracles.h"

#include <date/date.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/support/temporary.h"

namespace tenure::differential {
namespace {

struct Output {
  std::string text;
  int status = 0;
};
Output run(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[65'536];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  return {text, pclose(pipe)};
}
std::string output_of(const std::string& command) {
  const Output output = run(command);
  if (output.status != 0) throw std::runtime_error(fmt::format("status {} from {}", output.status, command));
  return output.text;
}

// One line a case, as croniter_oracle.py and robfig_oracle take them.
std::vector<std::optional<Answer>> ask_by_lines(const std::vector<Case>& cases, int count,
                                                const std::string& program,
                                                Question (*question)(const Case&)) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/questions";
  std::vector<std::size_t> asked;
  {
    std::ofstream questions(path);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (const auto words = question(cases[i])) {
        questions << fmt::format("{}|{}|{}|{}\n", cases[i].zone, cases[i].from, count, *words);
        asked.push_back(i);
      }
    }
  }
  std::istringstream lines(output_of(program + " < " + path));
  std::vector<std::optional<Answer>> answers(cases.size());
  std::string line;
  for (const std::size_t i : asked) {
    if (!std::getline(lines, line)) throw std::runtime_error("too few answers from " + program);
    Answer& answer = answers[i].emplace();
    if (line.starts_with("refused")) {
      answer.refused = line;
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "never")
        answer.never = true;
      else
        answer.slots.push_back(std::stoll(word));
    }
  }
  return answers;
}

// ---- systemd ---------------------------------------------------------------------------------------------

bool has(const std::string& text, const char* any_of) {
  return text.find_first_of(any_of) != std::string::npos;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// A field as systemd writes it: ranges with two dots, steps from a number on.
std::string systemd_field(const std::string& field, int low) {
  if (field.starts_with("*/")) return fmt::format("{}{}", low, field.substr(1));
  return replaced(field, "-", "..");
}

}  // namespace

Question for_croniter(const Case& one) {
  Case words = one;
  // The last Friday is L5 there.
  std::string& weekday = words.fields[4];
  if (weekday.ends_with("L")) weekday = "L" + weekday.substr(0, weekday.size() - 1);
  return expression_of(words);
}

Question for_robfig(const Case& one) {
  if (has(one.fields[2], "LW") || has(one.fields[4], "#L")) return std::nullopt;
  return expression_of(one);
}

// systemd wants both day fields to match, and knows no sixth meaning of them.
Question for_systemd(const Case& one) {
  const auto& [minute, hour, day, month, weekday] = one.fields;
  if (has(weekday, "#L/")) return std::nullopt;
  if (day[0] != '*' && weekday[0] != '*') return std::nullopt;
  constexpr const char* kNames[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  std::string days;
  for (const char c : weekday)
    days += c >= '0' && c <= '6' ? std::string(kNames[c - '0']) : std::string(1, c);
  days = weekday == "*" ? "" : replaced(days, "-", "..") + " ";
  const std::string in_month = day == "L" ? "~01" : "-" + systemd_field(day, 1);
  return fmt::format("{}*-{}{} {}:{}:00 {}", days, systemd_field(month, 1), in_month, systemd_field(hour, 0),
                     systemd_field(minute, 0), one.zone);
}

std::vector<std::optional<Answer>> ask_croniter(const std::vector<Case>& cases, int count) {
  return ask_by_lines(cases, count,
                      "/usr/bin/python3 " TENURE_SOURCE_DIR "/tests/differential/croniter_oracle.py",
                      for_croniter);
}

std::vector<std::optional<Answer>> ask_robfig(const std::vector<Case>& cases, int count) {
  return ask_by_lines(cases, count, TENURE_ROBFIG_ORACLE, for_robfig);
}

std::vector<std::optional<Answer>> ask_systemd(const std::vector<Case>& cases, int count) {
  std::map<std::int64_t, std::vector<std::size_t>> by_instant;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (for_systemd(cases[i])) by_instant[cases[i].from].push_back(i);
  std::vector<std::optional<Answer>> answers(cases.size());
  for (const auto& [from, places] : by_instant) {
    std::string command =
        fmt::format("TZ=UTC systemd-analyze calendar --iterations={} --base-time=@{}", count, from);
    for (const std::size_t place : places) command += " '" + *for_systemd(cases[place]) + "'";
    const Output output = run(command + " 2>&1");
    if (output.status != 0) {
      if (places.size() > 1) throw std::runtime_error("more than one question in " + command);
      answers[places.front()].emplace().refused = "refused " + output.text;
      continue;
    }
    std::istringstream lines(output.text);
    // A block for each expression begins with its normalized form.
    auto place = places.begin();
    Answer* answer = nullptr;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("Normalized form:") != std::string::npos) {
        if (place == places.end()) throw std::runtime_error("too many answers from systemd-analyze");
        answer = &answers[*place++].emplace();
      } else if (answer != nullptr && line.find("never") != std::string::npos) {
        answer->never = true;
      } else if (answer != nullptr && (line.find("Next elapse:") != std::string::npos ||
                                       line.find("Iter. #") != std::string::npos)) {
        std::istringstream time(line.substr(line.find(": ") + 6));  // after the weekday
        date::sys_seconds instant;
        time >> date::parse("%F %T", instant);
        if (!time) throw std::runtime_error("cannot read " + line);
        answer->slots.push_back(instant.time_since_epoch().count());
      }
    }
    if (place != places.end()) throw std::runtime_error("too few answers from " + command);
    for (const std::size_t done : places)
      if (static_cast<int>(answers[done]->slots.size()) < count) answers[done]->never = true;
  }
  return answers;
}

}  // namespace tenure::differential
