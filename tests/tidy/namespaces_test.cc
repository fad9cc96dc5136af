// A file's namespace is that of its room, so that a reader of `lab::Hunt` or `format::ParseResult` knows where to look;
// and no header takes all names of a namespace, because whoever includes it would get them too.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source.h"

namespace tenure::tidy {
namespace {

struct Owned {
  std::string_view folder;
  std::string_view name;
};
// The namespace of the first folder that fits. A room may have namespaces below its own.
constexpr std::array<Owned, 10> kOwned = {{{"lab/testing", "tenure::testing"},
                                           {"sim/stores", "tenure"},
                                           {"sim/protocols", "tenure"},
                                           {"sim", "tenure::sim"},
                                           {"format", "tenure::format"},
                                           {"lab", "tenure::lab"},
                                           {"cli", "tenure::cli"},
                                           {"daemon", "tenure::daemon"},
                                           {"core", "tenure"},
                                           {"adapters", "tenure"}}};

// Functions that libraries find by the namespaces of their arguments.
constexpr std::array<Owned, 6> kElsewhere = {{{"lab/testing/show.h", "tenure"},
                                              {"lab/testing/show.h", "tenure::sim"},
                                              {"lab/testing/show.cc", "tenure"},
                                              {"lab/testing/show.cc", "tenure::sim"},
                                              {"lab/session/kept_json.cc", "tenure"},
                                              {"lab/session/kept_json.cc", "tenure::sim"}}};

bool is_in(std::string_view name, std::string_view outer) {
  return name == outer || name.starts_with(std::string(outer) + "::");
}

// Empty: it is in no room.
std::string_view namespace_for(const Source& source) {
  for (const Owned& each : kOwned)
    if (source.is_under(each.folder)) return each.name;
  return {};
}

bool may_open(const Source& source, const std::string& name) {
  for (const Owned& each : kElsewhere)
    if (each.folder == source.path && each.name == name) return true;
  const std::string_view own = namespace_for(source);
  if (!is_in(name, own)) return false;
  // What has all of `tenure` has nothing of the rooms above it.
  for (const Owned& each : kOwned)
    if (each.name != "tenure" && !is_in(own, each.name) && is_in(name, each.name)) return false;
  return true;
}

std::vector<Finding> namespace_findings(const Source& source) {
  static const std::regex opened(R"(^namespace (tenure[\w:]*) \{$)");
  static const std::regex named_alone(R"(^(?:struct|class) \w+;.*$|^ *$)");
  static const std::regex all_of(R"(^\s*using namespace )");
  std::vector<Finding> findings;
  std::optional<Line> foreign;  // open, and so far it only names types that are defined elsewhere
  for (const Line& line : lines_of(source.code)) {
    std::smatch match;
    if (source.is_header() && std::regex_search(line.text, all_of))
      findings.push_back({source.path, line.number, "a header takes all names of a namespace"});
    if (std::regex_match(line.text, match, opened)) {
      if (!may_open(source, match[1])) foreign = Line{line.number, match[1]};
    } else if (line.text.starts_with("}")) {
      foreign.reset();
    } else if (foreign && !std::regex_match(line.text, named_alone)) {
      findings.push_back({source.path, foreign->number,
                          foreign->text + " is not " + std::string(namespace_for(source)) + ", its room's"});
      foreign.reset();
    }
  }
  return findings;
}

TEST(Namespaces, are_those_of_the_rooms) {
  std::vector<Finding> all;
  for (const Source& source : sources_under({"core", "sim", "format", "lab", "adapters", "cli", "daemon"})) {
    for (const Finding& finding : namespace_findings(source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

std::string found_in(const char* path, const std::string& text) {
  return to_text(namespace_findings(make_source(path, text)));
}

TEST(NamespacesRule, refuses_that_of_another_room) {
  EXPECT_EQ(found_in("format/parse/x.h", "\nnamespace tenure::sim {\nstruct A {};\n}\n"),
            "format/parse/x.h:2: tenure::sim is not tenure::format, its room's\n");
  for (const char* path : {"format/x.cc", "lab/hunt/x.cc", "core/model/x.h", "sim/stores/x.h",
                           "adapters/sql/x.h", "lab/testing/run.h", "cli/x.cc", "daemon/x.cc"})
    EXPECT_NE(found_in(path, "namespace tenure::sim {\nint f();\n}\n"), "") << path;
  EXPECT_NE(found_in("sim/world/x.h", "namespace tenure {\nint f();\n}\n"), "");
  EXPECT_NE(found_in("lab/hunt/x.h", "namespace tenure::testing {\nint f();\n}\n"), "");
  EXPECT_NE(found_in("lab/hunt/x.h",
                     "namespace tenure::lab {\nint f();\n}\nnamespace tenure::sim {\nint g();\n}\n"),
            "");
}

TEST(NamespacesRule, lets_pass_its_own_and_those_below_it) {
  EXPECT_EQ(found_in("lab/hunt/x.h", "namespace tenure::lab {\nint f();\n}\n"), "");
  EXPECT_EQ(found_in("lab/explore/x.h", "namespace tenure::lab::explore {\nint f();\n}\n"), "");
  EXPECT_EQ(found_in("core/store/x.h", "namespace tenure::reference {\nint f();\n}\n"), "");
  EXPECT_EQ(found_in("sim/stores/x.h", "namespace tenure::redis {\nint f();\n}\n"), "");
  EXPECT_EQ(found_in("adapters/lua/x.h", "namespace tenure::lua {\nint f();\n}\n"), "");
}

TEST(NamespacesRule, lets_pass_types_that_are_named_and_defined_elsewhere) {
  EXPECT_EQ(found_in("cli/x.h", "namespace tenure::lab {\nstruct Task;  // what to do\nclass Hunt;\n}\n"),
            "");
}

TEST(NamespacesRule, refuses_a_header_that_takes_all_names) {
  EXPECT_NE(found_in("lab/hunt/x.h", "using namespace tenure::sim;\n"), "");
  EXPECT_NE(found_in("lab/hunt/x.h", "namespace tenure::lab {\n  using namespace sim;\n}\n"), "");
  EXPECT_EQ(found_in("lab/hunt/x.cc", "using namespace std::literals;\n"), "");
}

}  // namespace
}  // namespace tenure::tidy
