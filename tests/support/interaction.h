// Tests as text: commands, each followed by its answers, in one file that TENURE_REWRITE_GOLDEN=1 writes anew.
//
//   before in table                 # how each case below begins, up to the next such lines
//   after heal                      # and how it ends
//   phrase leads-and-fires          # `leads-and-fires n2` stands for the lines below it, with n2 for $1
//     10s  $1 leads 1, fires 10s
//
//   == no slot fires twice          # a case: its subject is made anew
//   leads-and-fires n1
//   20s  n1 fires 10s
//     > no-duplicate-fire: billing 00:00:10 was executed twice
//
// Lines `  > …` are what the command before them was answered; the rest is the test. Text after `# ` is a comment.
//
// Thread rule: one test.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/transcript.h"

namespace tenure::testing {

// Reads a text by words.
class Words {
 public:
  explicit Words(const std::string& text) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words_.push_back(word);
  }
  bool done() const { return at_ >= words_.size(); }
  const std::string& peek() const {
    static const std::string none;
    return done() ? none : words_[at_];
  }
  std::string next() {
    if (done()) ADD_FAILURE() << "a word is missing after: " << all();
    return done() ? "" : words_[at_++];
  }
  std::int64_t number() { return std::strtoll(next().c_str(), nullptr, 0); }
  // Goes on if the next words are these.
  bool take(std::string_view words) {
    std::size_t end = at_;
    for (Words asked{std::string(words)}; !asked.done(); ++end)
      if (end >= words_.size() || words_[end] != asked.next()) return false;
    at_ = end;
    return true;
  }
  // Takes `word` and the one after it out, wherever they are; gives the latter.
  std::string cut(std::string_view word) {
    for (std::size_t i = at_; i + 1 < words_.size(); ++i) {
      if (words_[i] != word) continue;
      const std::string value = words_[i + 1];
      words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i),
                   words_.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      return value;
    }
    return "";
  }
  std::string rest() {
    std::string text;
    for (; !done(); ++at_) text += (text.empty() ? "" : " ") + words_[at_];
    return text;
  }
  std::string all() const {
    std::string text;
    for (const std::string& word : words_) text += (text.empty() ? "" : " ") + word;
    return text;
  }

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

// Calls do_one with the words of each statement of a line: they are apart by `;`.
template <class DoOne>
void for_each_statement(const std::string& line, const DoOne& do_one) {
  std::istringstream stream(line);
  for (std::string statement; std::getline(stream, statement, ';');) do_one(Words(statement));
}

// The items in lines of text, as many in each as fit.
inline std::string wrapped(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  std::size_t begin = 0;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    if (!text.empty() && text.size() - begin + item.size() > 110) {
      while (text.back() == ' ') text.pop_back();
      text += "\n";
      begin = text.size();
    }
    text += item;
  }
  return text.empty() ? text : text + "\n";
}

// "1m16.2s", "30s+1us", "-10s".
inline std::optional<Duration> duration_of(const std::string& text) {
  static constexpr std::pair<const char*, std::int64_t> kUnits[] = {
      {"ms", 1'000'000},    {"us", 1'000},         {"ns", 1},
      {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
  };
  Duration sum;
  std::int64_t sign = 1;
  std::size_t at = 0;
  if (text.empty()) return std::nullopt;
  while (at < text.size()) {
    if (text[at] == '+' || text[at] == '-') sign = text[at++] == '-' ? -1 : 1;
    std::size_t end = text.find_first_not_of("0123456789.", at);
    if (end == at || end == std::string::npos) return std::nullopt;
    const std::string number = text.substr(at, end - at);
    const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& each) {
      return text.compare(end, std::string_view(each.first).size(), each.first) == 0;
    });
    if (unit == std::end(kUnits)) return std::nullopt;
    std::int64_t ns = std::stoll("0" + number) * unit->second;
    std::int64_t scale = unit->second;
    for (std::size_t digit = number.find('.'); digit != std::string::npos && ++digit < number.size();)
      for (; digit < number.size(); ++digit) ns += (number[digit] - '0') * (scale /= 10);
    sum += Duration::nanos(sign * ns);
    at = end + std::string_view(unit->first).size();
  }
  return sum;
}

// Its epoch, "epoch/nonce" or "branch:epoch/nonce".
inline Token read_token(const std::string& text, std::uint64_t nonce = 1) {
  const std::size_t colon = text.find(':');
  const std::size_t slash = text.find('/');
  Token token;
  if (colon != std::string::npos) token.branch = static_cast<std::uint32_t>(std::stoul(text));
  token.epoch = std::stoull(text.substr(colon == std::string::npos ? 0 : colon + 1));
  token.nonce = slash == std::string::npos ? nonce : std::stoull(text.substr(slash + 1));
  return token;
}

// The words of `line` are arguments $1, $2, … of `text`; $* is all of them.
inline std::string with_arguments(std::string text, Words line) {
  line.next();
  const std::string all = Words(line).rest();
  const auto replace = [&text](const std::string& name, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  };
  replace("$*", all);
  for (int n = 1; !line.done(); ++n) replace("$" + std::to_string(n), line.next());
  return text;
}

// Holds the file against what a Subject(title) answers: say(line), and end() once a case is over, give lines of text.
// `path` is relative to the source tree.
template <class Subject, class... Arguments>
void expect_interaction(const std::string& path, const Arguments&... arguments) {
  std::ifstream file{std::filesystem::path{TENURE_SOURCE_DIR} / path};
  ASSERT_TRUE(file) << path << " cannot be read";
  std::map<std::string, std::vector<std::string>> phrases;
  std::vector<std::string> before;  // a case
  std::vector<std::string> after;
  bool has_begun = false;            // the case
  bool has_cases = false;            // that begin with `before`
  std::vector<std::string> waiting;  // lines for people: they follow a case's last answers
  std::unique_ptr<Subject> subject;
  std::string text;
  std::vector<std::string>* phrase = nullptr;

  const auto answer = [&text](const std::string& answers) {
    std::istringstream stream(answers);
    for (std::string line; std::getline(stream, line);) text += "  > " + line + "\n";
  };
  const auto write_waiting = [&] {
    for (const std::string& line : waiting) text += line + "\n";
    waiting.clear();
  };
  const auto say = [&](const auto& self, const std::string& line) -> std::string {
    const std::string command = line.substr(0, std::min(line.find(" # "), line.size()));
    const auto found = phrases.find(Words(command).peek());
    if (found == phrases.end()) return subject->say(command);
    std::string answers;
    for (const std::string& each : found->second) answers += self(self, with_arguments(each, Words(command)));
    return answers;
  };
  // Lines that make the world come first, the case's own after those that all cases have. What is answered to how each
  // case begins is not shown.
  const auto makes_world = [](const std::string& line) {
    return line.starts_with("in ") || line.starts_with("set ");
  };
  const auto begin = [&](const std::string& line) {
    if (has_begun || makes_world(line)) return;
    has_begun = true;
    for (const std::string& each : before)
      if (!makes_world(each)) say(say, each);
  };
  const auto end = [&] {
    if (subject == nullptr) return;
    begin("");
    for (const std::string& each : after) answer(say(say, each));
    answer(subject->end());
    subject = nullptr;
  };

  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  > ")) continue;
    if (line.empty() || line == "#" || line.starts_with("# ")) {
      waiting.push_back(line);
      phrase = nullptr;
      continue;
    }
    const bool is_title = line.starts_with("== ");
    const bool is_before = line.starts_with("before ");
    const bool is_after = line.starts_with("after ");
    if (is_title || is_before || is_after || line.starts_with("phrase ")) {
      end();
      phrase = nullptr;
      if (has_cases && !is_title && (is_before || is_after)) {
        before.clear();
        after.clear();
        has_cases = false;
      }
    }
    write_waiting();
    text += line + "\n";
    if (is_title) {
      subject = std::make_unique<Subject>(line.substr(3), arguments...);
      has_begun = false;
      has_cases = true;
      for (const std::string& each : before)
        if (makes_world(each)) say(say, each);
    } else if (is_before) {
      if (line != "before nothing") before.push_back(line.substr(7, line.find(" # ") - 7));
    } else if (is_after) {
      after.push_back(line.substr(6));
    } else if (line.starts_with("phrase ")) {
      phrase = &phrases[Words(line.substr(7)).next()];
    } else if (phrase != nullptr && line.starts_with("  ")) {
      phrase->push_back(line);
    } else {
      ASSERT_NE(subject, nullptr) << line << ": of no case";
      const ::testing::ScopedTrace trace(path.c_str(), 0, line);
      begin(line);
      answer(say(say, line));
    }
  }
  end();
  write_waiting();
  expect_golden(path, text);
}

}  // namespace tenure::testing
