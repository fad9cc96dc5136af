#include "tests/tidy/ban_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace tenure::tidy {
namespace {

std::vector<Finding> banned_in(const std::string& code) {
  return banned(make_source("core/x/x.cc", code + "\n"));
}
std::vector<Finding> globals_in(const std::string& code) {
  return mutable_globals(make_source("sim/x/x.cc", code + "\n"));
}

// A room at a time, because regular expressions are slow.
class BanListOf : public testing::TestWithParam<std::string> {};

std::vector<std::string> rooms() {
  std::vector<std::string> found;
  for (const char* floor : {"core", "sim", "format", "lab"})
    for (const auto& entry :
         std::filesystem::directory_iterator(TENURE_SOURCE_DIR + std::string("/") + floor))
      if (entry.is_directory()) found.push_back(floor + std::string("/") + entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

TEST_P(BanListOf, has_nothing_in) {
  std::vector<Finding> all;
  for (const Source& source : sources_under({GetParam()})) {
    for (const Finding& finding : banned(source)) all.push_back(finding);
    for (const Finding& finding : mutable_globals(source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

INSTANTIATE_TEST_SUITE_P(Rooms, BanListOf, testing::ValuesIn(rooms()), [](const auto& room) {
  std::string name = room.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST(BanList, looks_at_the_files_that_are_there) {
  const std::vector<Source> sources = sources_under({"core", "sim", "format", "lab"});
  EXPECT_GT(sources.size(), 40u);
  EXPECT_TRUE(std::any_of(sources.begin(), sources.end(),
                          [](const Source& s) { return s.path == "core/base/time.h"; }));
}

TEST(BanList, catches_every_planted_violation) {
  for (const char* planted : {"#include <chrono>",
                              "auto now = std::chrono::steady_clock::now();",
                              "system_clock::now();",
                              "clock_gettime(CLOCK_MONOTONIC, &now);",
                              "const long now = time(nullptr);",
                              "std::time(&now);",
                              "#include <random>",
                              "std::random_device device;",
                              "std::mt19937_64 engine(seed);",
                              "std::uniform_int_distribution<int> dice(1, 6);",
                              "std::shuffle(a.begin(), a.end(), g);",
                              "return rand() % 6;",
                              "getrandom(buffer, 8, 0);",
                              "std::hash<int>{}(7)",
                              "#include <unordered_map>",
                              "std::unordered_set<int> seen;",
                              "std::map<Node*, int> order;",
                              "std::set<const Node *> nodes;",
                              "std::map<std::vector<int>*, int> order;",
                              "std::set<std::unique_ptr<Node>> nodes;",
                              "auto key = reinterpret_cast<std::uintptr_t>(node);",
                              "double rate = 1;",
                              "const auto half = 0.5;",
                              "float x;",
                              "std::stod(text)",
                              "getenv(name)",
                              "std::getenv(name)",
                              "#include <thread>",
                              "#include <atomic>",
                              "std::mutex mutex;",
                              "std::jthread worker;",
                              "thread_local int x;",
                              "volatile int x;",
                              "#include <iostream>",
                              "std::cout << 1;",
                              "printf(format);",
                              "std::fprintf(file, format);",
                              "#include <unistd.h>",
                              "std::ifstream file(name);",
                              "#include <filesystem>"}) {
    EXPECT_FALSE(banned_in(planted).empty()) << planted;
  }
}

TEST(BanList, reads_code_and_not_comments_or_text) {
  for (const char* innocent :
       {"// std::hash of a double, from time(nullptr)", "/* rand() */ int x;",
        "const char* a = \"0.5 double rand()\";", "auto b = R\"(std::mt19937 \" rand())\";",
        "'\\''; // double", "int n = 1'000; // '0.5'", "int operand(int);", "std::map<int, Node*> nodes;",
        "std::map<int, const Node*> by_id;", "Duration doubled;", "timer.time(now);",
        "store.flush_all(0);"}) {
    EXPECT_TRUE(banned_in(innocent).empty()) << to_text(banned_in(innocent));
  }
}

TEST(BanList, code_after_a_literal_is_code_again) {
  EXPECT_EQ(banned_in("f(\"a\\\"b\"); double x;").size(), 1u);
  EXPECT_EQ(banned_in("const char c = '\"'; double x;").size(), 1u);
  EXPECT_EQ(banned_in("int n = 1'000'000; double x; // '").size(), 1u);
  EXPECT_EQ(banned_in("auto s = R\"x(a)\" b)x\"; double x;").size(), 1u);
}

TEST(BanList, says_where) {
  const std::vector<Finding> findings = banned_in("int x;\n\ndouble y;");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(to_text(findings), "core/x/x.cc:3: floating point: double\n");
}

TEST(BanList, an_exception_is_for_one_file_and_one_thing) {
  EXPECT_TRUE(banned(make_source("core/base/check.cc", "#include <cstdio>\n")).empty());
  EXPECT_FALSE(banned(make_source("core/base/check.cc", "double x;\n")).empty());
  EXPECT_FALSE(banned(make_source("core/base/other.cc", "#include <cstdio>\n")).empty());
}

TEST(BanList, lets_sessions_alone_in_lab_start_threads_touch_files_and_read_clocks) {
  for (const char* line : {"#include <thread>\n", "#include <chrono>\n", "#include <fstream>\n"}) {
    EXPECT_TRUE(banned(make_source("lab/session/jobs.cc", line)).empty()) << line;
    EXPECT_FALSE(banned(make_source("lab/hunt/hunt.cc", line)).empty()) << line;
    EXPECT_FALSE(banned(make_source("lab/sessions.cc", line)).empty()) << line;
  }
  for (const char* line : {"double x;\n", "std::random_device device;\n", "#include <unordered_map>\n"})
    EXPECT_FALSE(banned(make_source("lab/session/jobs.cc", line)).empty()) << line;
}

TEST(MutableGlobals, catches_every_planted_violation) {
  for (const char* planted :
       {"int counter = 0;", "namespace tenure {\nnamespace {\nint counter;\n}\n}",
        "namespace tenure { std::vector<const Node*> nodes; }", "static std::map<int, int> cache;",
        "void f() { static int calls = 0; ++calls; }", "void f() {\n  if (x) {\n static Cache cache{1};\n}}",
        "class A {\n public:\n  static int alive;\n};", "class A {\n  inline static int alive = 0;\n};",
        "const char* current = nullptr;", "int table[4] = {1, 2, 3, 4};", "Registry registry{1, 2};",
        "inline std::uint64_t next_id = 1;", "CheckHandler current = &print;", "Node *last;"}) {
    EXPECT_FALSE(globals_in(planted).empty()) << planted;
  }
}

TEST(MutableGlobals, leaves_constants_functions_and_locals_alone) {
  for (const char* innocent : {"constexpr int kMax = 3;",
                               "const std::vector<int> kNumbers = {1, 2};",
                               "static constexpr Row kRows[] = {{1}, {2}};",
                               "const char* const kName = \"x\";",
                               "inline constexpr std::string_view kNames[] = {\"a\", \"b\"};",
                               "void f() { int x = 0; std::vector<int> y; }",
                               "int f(int a = 3);",
                               "static int helper(int x) { return x; }",
                               "class A {\n public:\n  static A make();\n private:\n  int x_ = 0;\n};",
                               "struct A;",
                               "enum class E { a, b };",
                               "using X = int;",
                               "__extension__ using int128 = __int128;",
                               "template <class T> struct Box { T value{}; };",
                               "A::A() : x_{1}, y_{2} { z_ = 3; }",
                               "bool operator==(const A& a, const A& b) { return true; }",
                               "void f() { static const std::vector<int> kTable = make(); }",
                               "void f() { static constexpr int kX = 1; }",
                               "#define CHECK(x) \\\n  int y = x\n",
                               "extern const int kLater;",
                               "template <class A> concept Good = requires(A a) { a - a; };"}) {
    EXPECT_TRUE(globals_in(innocent).empty()) << innocent << "\n" << to_text(globals_in(innocent));
  }
}

}  // namespace
}  // namespace tenure::tidy
