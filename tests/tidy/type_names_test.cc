// One name, one type: a reader who meets a name in a header need not ask which of several it is. Types in classes and
// in .cc files are exempt (docs/adr/archive.md, 34).
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source.h"

namespace tenure::tidy {
namespace {

// Each store has its own requests and replies, in its own namespace.
constexpr std::array<std::string_view, 2> kFamilies = {"Request", "Reply"};
// Two stores' requests may be called alike, because each is called as in its own system: Redis' Get is not a record's.
// So may one, and something that an adapter does to a real store: both connect.
bool lists_requests(const std::string& path) {
  return (path.starts_with("core/store/") || path.starts_with("sim/stores/")) &&
         path.ends_with("/requests.h");
}
bool may_share(const std::string& one, const std::string& other) {
  const auto goes_with = [](const std::string& path) {
    return lists_requests(path) || path.starts_with("adapters/");
  };
  return (lists_requests(one) && goes_with(other)) || (lists_requests(other) && goes_with(one));
}
// Words so general that each of them had come to mean five things: one meaning in all product code, nested types too.
constexpr std::array<std::string_view, 6> kOnce = {"Outcome", "Failure", "Pending",
                                                   "Kept",    "Row",     "Coverage"};

struct Type {
  std::string name;
  std::string path;
  int line = 0;
  bool nested = false;
};

std::vector<Type> types_in(const Source& source) {
  static const std::regex definition(
      R"(^( *)(?:struct|class|enum class|enum) (\w+)(?: final)?(?: ?: ?[\w:, <>]+)?(?: \{.*| *)$)");
  std::vector<Type> types;
  for (const Line& line : lines_of(source.code)) {
    std::smatch match;
    if (std::regex_match(line.text, match, definition) && line.text.find(';') == std::string::npos)
      types.push_back({match[2], source.path, line.number, match[1].length() > 0});
  }
  return types;
}

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, const std::string& name) {
  for (const std::string_view one : names)
    if (one == name) return true;
  return false;
}

// Types of headers, outside of other types, that share their name; and words that mean two things.
std::vector<Finding> shared_names(const std::vector<Source>& sources) {
  std::map<std::string, Type> in_headers;
  std::map<std::string, Type> once;
  std::vector<Finding> findings;
  const auto judge = [&findings](std::map<std::string, Type>& seen, const Type& type) {
    const auto [first, fresh] = seen.emplace(type.name, type);
    if (!fresh && !may_share(first->second.path, type.path))
      findings.push_back(
          {type.path, type.line, type.name + " is the name of another type: " + first->second.path});
  };
  for (const Source& source : sources) {
    for (const Type& type : types_in(source)) {
      if (is_among(kFamilies, type.name)) continue;
      if (is_among(kOnce, type.name))
        judge(once, type);
      else if (source.is_header() && !type.nested)
        judge(in_headers, type);
    }
  }
  return findings;
}

TEST(TypeNames, mean_one_thing_each) {
  const std::vector<Finding> findings =
      shared_names(sources_under({"core", "sim", "format", "lab", "adapters", "cli", "daemon"}));
  EXPECT_TRUE(findings.empty()) << to_text(findings);
}

TEST(TypeNamesRule, finds_a_name_that_two_headers_define) {
  const auto both = [](const char* first, const char* second) {
    return to_text(shared_names({make_source("core/a.h", first), make_source("sim/b.h", second)}));
  };
  EXPECT_EQ(both("struct Reading {\n", "class Reading final : public Base {\n"),
            "sim/b.h:1: Reading is the name of another type: core/a.h\n");
  EXPECT_EQ(both("struct Reading {\n", "class Writing {\n"), "");
  EXPECT_EQ(both("struct Reading;\n", "struct Reading {\n"), "") << "named, and defined elsewhere";
  EXPECT_EQ(both("struct Reading {\n", "  struct Reading {\n"), "") << "nested in another one";
  EXPECT_EQ(to_text(shared_names({make_source("core/a.h", "struct Reading {\n"),
                                  make_source("sim/b.cc", "struct Reading {\n")})),
            "")
      << "in a file that nobody includes";
  EXPECT_NE(both("  struct Row {\n", "  enum class Row : std::uint8_t {\n"), "")
      << "but for the worst of them";
  EXPECT_EQ(both("struct Request {\n", "struct Request {\n"), "") << "of two stores";
  const auto of_stores = [](const char* other) {
    return to_text(shared_names(
        {make_source("core/store/a/requests.h", "struct Get {\n"), make_source(other, "struct Get {\n")}));
  };
  EXPECT_EQ(of_stores("core/store/b/requests.h"), "");
  EXPECT_EQ(of_stores("adapters/b/b.h"), "");
  EXPECT_NE(of_stores("core/store/b/b_store.h"), "");
  EXPECT_NE(of_stores("sim/b.h"), "");
}

}  // namespace
}  // namespace tenure::tidy
