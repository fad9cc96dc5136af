// How long a tail a file needs, and what it is warned of, as text in judged.txt.
//
//   in cluster.instances=2 schedule name=job every=5s   # keys of a file, and those of its tables; all other lines of
//   fault at=10s action=store-failover                  # the case add theirs, one by one
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "format/parse/parse.h"
#include "format/parse/tail.h"
#include "format/syntax/units.h"
#include "tests/support/interaction.h"

namespace tenure::format::judged_tests {
namespace {

// What is no number, list or flag is text.
std::string value_of(const std::string& word) {
  const bool raw =
      word.starts_with('[') || word == "true" || word.find_first_not_of("0123456789.") == std::string::npos;
  return raw ? word : "\"" + word + "\"";
}

class FileTalk {
 public:
  explicit FileTalk(const std::string&) {}
  std::string say(const std::string& line) {
    testing::Words words(line);
    if (words.take("in")) {
      keys_ += " " + words.rest();
      return "";
    }
    const ParseResult result = parse_scenario("x", text_of(keys_ + " " + line));
    std::string said;
    for (const Diagnostic& diagnostic : result.diagnostics) said += diagnostic.message + "\n";
    if (!result.scenario) return said;
    for (const std::string& warning : result.scenario->warnings) said += warning + "\n";
    return "needs " + print_duration(needed_tail(*result.scenario)) + "\n" + said;
  }
  std::string end() { return ""; }

 private:
  static std::string text_of(const std::string& keys) {
    std::string text = "format = 1\nname = \"x\"\ncluster.protocol = \"fenced-lease\"\n";
    for (testing::Words words(keys); !words.done();) {
      const std::string word = words.next();
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos)
        text += word == "alone" ? "" : "[[" + word + "]]\n";
      else
        text += fmt::format("{} = {}\n", word.substr(0, equals), value_of(word.substr(equals + 1)));
    }
    return text;
  }

  std::string keys_;
};

TEST(Parse, judges_files_as_its_text_says) {
  testing::expect_interaction<FileTalk>("tests/format/judged.txt");
}

}  // namespace
}  // namespace tenure::format::judged_tests
