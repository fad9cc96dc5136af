#include "tests/tidy/ban_list.h"

#include <algorithm>
#include <regex>
#include <string_view>
#include <utility>

namespace tenure::tidy {
namespace {

struct Ban {
  const char* pattern;
  const char* why;
};

// Matched against code, one line at a time.
constexpr Ban kBans[] = {
    {R"(<(chrono|ctime|time\.h|sys/time\.h)>|\b(system|steady|high_resolution|file|utc)_clock\b)",
     "a system clock"},
    {R"(\b(clock_gettime|gettimeofday|localtime|gmtime|mktime|timespec_get|nanosleep|usleep|__rdtsc)\b)",
     "a system clock"},
    {R"(\bstd::(time|clock)\s*\(|\btime\s*\(\s*(nullptr|NULL|0)\s*\))", "a system clock"},
    {R"(<random>|\brandom_device\b|\bmt19937|\b\w+_distribution\b|\bstd::(shuffle|sample)\b|_engine\b)",
     "randomness that is not the seed's, or that differs between libraries"},
    {R"(\b(s?rand|random|drand48|arc4random\w*|getrandom|getentropy)\s*\()",
     "randomness that is not the seed's"},
    {R"(\bstd::hash\b|<unordered_(map|set)>|\bunordered_\w+)",
     "an order or a value that differs between libraries"},
    {R"(\b(map|set|multimap|multiset)\s*<\s*(const\s+)?[\w:]+(<[^<>]*>)?(\s+const)?\s*\*)",
     "an order by address"},
    {R"(\b(map|set|multimap|multiset)\s*<\s*(std::)?(unique|shared)_ptr\b|\bu?intptr_t\b|\bowner_(less|before)\b)",
     "an order by address"},
    {R"(\b(float|double)\b|<cmath>|\b\d[\d']*\.\d|\bstd::(stod|stof|strtod|lround|sqrt|pow)\b)",
     "floating point"},
    {R"(\b(secure_getenv|getenv|setenv|putenv)\b)", "the environment"},
    {R"(<(thread|mutex|shared_mutex|atomic|condition_variable|future|semaphore|latch|barrier|stop_token)>)",
     "a thread"},
    {R"(\b(thread_local|volatile)\b|\bstd::(j?thread|mutex|atomic\w*|async|future|once_flag)\b|\bpthread_)",
     "a thread"},
    {R"(<(iostream|fstream|cstdio|stdio\.h|filesystem|unistd\.h|fcntl\.h|sys/\w+\.h|locale)>)",
     "input or output"},
    {R"(\bstd::(cout|cerr|clog|cin|[io]?fstream|locale|system)\b|\b(fopen|f?printf|puts|fputs)\s*\()",
     "input or output"},
};

// A file that may do one of these things, for a reason that its own comments give; or a folder, ended by a slash.
struct Exception {
  std::string_view path;
  std::string_view why;
};
constexpr Exception kExceptions[] = {
    {"core/base/check.cc", "input or output"},  // the last words of a program that stops
    // What it does with many runs is a function of them, and each is pure; but they are made on threads, for as long
    // as there is time, and what they find is written down. No other room of lab does so.
    {"lab/session/", "a thread"},
    {"lab/session/", "a system clock"},
    {"lab/session/", "input or output"},
};

bool excepted(const Source& source, std::string_view why) {
  for (const Exception& exception : kExceptions) {
    const bool there = exception.path.ends_with('/') ? source.path.starts_with(exception.path)
                                                     : source.path == exception.path;
    if (there && why == exception.why) return true;
  }
  return false;
}

// Template arguments say nothing about the variable itself.
std::string without_angles(std::string text) {
  static const std::regex innermost("<[^<>]*>");
  for (std::string before; before != text;) {
    before = text;
    text = std::regex_replace(text, innermost, "");
  }
  return text;
}

// `head` is what stands before a `;`, a `{` or an `=`: does it declare a variable that can change?
bool declares_mutable(const std::string& head) {
  static const std::regex something_else(
      R"(^\s*(__extension__\s+)?(using|typedef|namespace|template|friend|)"
      R"(static_assert|struct|class|enum|union|concept)\b|\(|\boperator\b)");
  static const std::regex variable(R"([\w&*\]]\s*[\s&*]\w+(\[[^\]]*\])*\s*$)");
  const std::string plain = without_angles(head);
  if (std::regex_search(plain, something_else) || !std::regex_search(plain, variable)) return false;
  if (plain.find("constexpr") != std::string::npos) return false;
  const std::size_t star = plain.rfind('*');  // a pointer to something constant can itself change
  return plain.find("const ", star == std::string::npos ? 0 : star) == std::string::npos;
}

// The statements of a file, with what encloses them.
class Statements {
 public:
  explicit Statements(const Source& source) : path_(source.path) {
    bool continued = false;  // a preprocessor line that goes on
    for (const Line& line : lines_of(source.code)) {
      const bool directive = continued || line.text.starts_with("#");
      continued = directive && line.text.ends_with("\\");
      if (directive) continue;
      line_ = line.number;
      for (const char c : line.text) take(c);
      take(' ');
    }
  }

  std::vector<Finding> findings() && { return std::move(findings_); }

 private:
  void take(char c) {
    if (c == '{') {
      static const std::regex names_scope(R"(^\s*(inline\s+)?namespace\b[^()]*$|^\s*extern\s*$)");
      const bool names = std::regex_search(head_, names_scope);
      judge();
      scopes_.push_back(names);
    } else if (c == '}') {
      if (!scopes_.empty()) scopes_.pop_back();
      head_.clear();
    } else if (c == ';') {
      judge();
    } else if (c == ':' && (head_ == "public" || head_ == "private" || head_ == "protected")) {
      head_.clear();
    } else if (!head_.empty() || c != ' ') {
      if (head_.empty()) head_line_ = line_;
      head_ += c;
    }
  }

  void judge() {
    static const std::regex is_static(R"(^(inline\s+)?static\s+)");
    const bool at_namespace_scope = std::find(scopes_.begin(), scopes_.end(), false) == scopes_.end();
    const std::string declaration = head_.substr(0, head_.find('='));
    if ((at_namespace_scope || std::regex_search(head_, is_static)) && declares_mutable(declaration)) {
      findings_.push_back({path_, head_line_, "a variable that all runs share: " + declaration});
    }
    head_.clear();
  }

  std::string path_;
  std::vector<bool> scopes_;  // of the open braces, outermost first: is it a namespace?
  std::string head_;          // the statement so far
  int line_ = 0;
  int head_line_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> banned(const Source& source) {
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> made;
    for (const Ban& ban : kBans) made.emplace_back(ban.pattern, std::regex::optimize);
    return made;
  }();
  std::vector<Finding> findings;
  for (const Line& line : lines_of(source.code)) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(line.text, match, patterns[i]) || excepted(source, kBans[i].why)) continue;
      findings.push_back({source.path, line.number, std::string(kBans[i].why) + ": " + match.str()});
    }
  }
  return findings;
}

std::vector<Finding> mutable_globals(const Source& source) {
  if (source.path == "core/base/check.cc") return {};  // the handler: set before the program has two threads
  if (source.path == "lab/session/cancellation.cc") return {};  // a signal handler knows nothing but globals
  return Statements(source).findings();
}

}  // namespace tenure::tidy
