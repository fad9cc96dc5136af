// Bytes that are no scenario at all: an error each, and never a crash.

#include "format/syntax/document.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "format/parse/parse.h"

namespace tenure::format {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// The only error in `text`.
std::string error_in(const std::string& text) {
  const ParseResult result = parse_scenario("x.toml", text);
  EXPECT_EQ(result.diagnostics.size(), 1u);
  return result.diagnostics.empty() ? "" : result.diagnostics.front().message;
}

TEST(Document, of_more_than_a_million_bytes_is_refused) {
  EXPECT_EQ(error_in(std::string(10'000'000, 'x')), "more than 1,000,000 bytes");
  EXPECT_EQ(parse_scenario("x", repeated("# ......\n", kMaxBytes / 9)).diagnostics.size(), 4u)
      << "the most there may be";
}

TEST(Document, with_a_line_that_nobody_writes_is_refused) {
  EXPECT_EQ(error_in("\n# " + std::string(5'000, 'x')), "a line of more than 4000 bytes");
}

TEST(Document, with_nul_bytes_or_bad_utf8_is_refused_and_says_where) {
  const ParseResult nul = parse_scenario("x.toml", std::string("a = 1\nb = \"x\0y\"\n", 16));
  ASSERT_EQ(nul.diagnostics.size(), 1u);
  EXPECT_EQ(nul.diagnostics.front().message, "a NUL byte");
  EXPECT_EQ(nul.diagnostics.front().line, 2);
  EXPECT_EQ(nul.diagnostics.front().column, 7);
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc3", "\xff\xfe"})
    EXPECT_NE(error_in(std::string("# ") + bad).find("is not UTF-8"), std::string::npos);
  EXPECT_EQ(error_in("\xff\xfe"
                     "f\0o\0"),
            "byte 0xff is not UTF-8");
}

TEST(Diagnostics, show_nothing_that_a_terminal_would_obey) {
  EXPECT_EQ(printable("a\x1b[31mb\x7f\tc\xc2\x9b\x9b\xffé", 100), "a?[31mb? c???é");
  EXPECT_EQ(printable("ééé", 5), "éé…");
}

TEST(Document, nested_too_deep_is_refused_whatever_nests) {
  for (const std::string& text :
       {"a = " + repeated("[\n", 100'000), "a = " + repeated("[", 40) + repeated("]", 40),
        "[a." + repeated("a.", 1'000) + "a]", repeated("a.", 1'500) + "a = 1",
        "a = " + repeated("{ a = ", 500), "a = [" + repeated("{ a.b.c.d = [\n", 1000),
        "a = { " + repeated("b . ", 100) + "c = 1 }"})
    EXPECT_EQ(error_in(text), "nested too deep") << text.substr(0, 40);
}

TEST(Document, brackets_and_dots_in_strings_and_comments_do_not_nest) {
  const std::string deep = repeated("[", 100);
  const std::string dots = repeated(".", 100);
  for (const std::string& text :
       {"a = \"" + deep + "\"", "a = '" + deep + "'", "a = \"\"\"" + deep + "\n\"" + deep + "\"\"\"",
        "# " + deep, "a = '''" + deep + "'''", "a = \"\\\"" + deep + "\"", "a = \"" + dots + "\""}) {
    Diagnostics diagnostics("x", text, {});
    read_document(text, {}, diagnostics);
    EXPECT_EQ(diagnostics.count(), 0u) << text.substr(0, 40);
  }
}

TEST(Document, that_is_empty_or_garbage_is_an_error) {
  EXPECT_EQ(parse_scenario("x", "").diagnostics.size(), 4u);  // format, name, [sim], [cluster]
  for (const char* text :
       {"\n\n\n", "}{", "===", "[[[[", "\"", "'''", "a = '''", "\\", "<?xml version=\"1.0\"?>", "{\"a\": 1}",
        "a = 1e99999", "a = 99999999999999999999", "[a]\n[a]", "a.b = 1\na = 2",
        "\xef\xbb\xbf"
        "format = 1"})
    EXPECT_FALSE(parse_scenario("x", text).diagnostics.empty()) << text;
}

TEST(Document, keeps_the_text_of_numbers) {
  const std::string text = "a = 0.1\nb = { c = 1_000.5e-3 } # 7\n";
  Diagnostics diagnostics("x", text, {});
  const Item root = read_document(text, {}, diagnostics);
  EXPECT_EQ(diagnostics.count(), 0u);
  EXPECT_EQ(root.find("a")->item.text, "0.1");
  EXPECT_EQ(root.find("b")->item.find("c")->item.text, "1_000.5e-3");
}

TEST(Document, takes_overrides_as_toml_or_as_bare_text) {
  const std::string text = "[a]\nb = 1\n[[c]]\nd = 1\n";
  const std::vector<Override> sets = {
      {"a.b", "8s"}, {"a.e", "[1, 2]"}, {"c.1.d", "true"}, {"f.g", "0.5"}, {"a.h", "5\nx = 1"}};
  Diagnostics diagnostics("x", text, sets);
  const Item root = read_document(text, sets, diagnostics);
  EXPECT_EQ(diagnostics.count(), 0u);
  EXPECT_EQ(root.find("a")->item.find("b")->item.text, "8s");
  EXPECT_EQ(root.find("a")->item.find("e")->item.items.size(), 2u);
  EXPECT_TRUE(root.find("c")->item.items[0].find("d")->item.boolean);
  EXPECT_EQ(root.find("f")->item.find("g")->item.kind, Item::Kind::real);
  EXPECT_EQ(root.find("a")->item.find("h")->item.text, "5\nx = 1") << "one flag sets one key";
}

RC_GTEST_PROP(Document, of_any_bytes_never_crashes, (const std::string& bytes)) {
  const ParseResult result = parse_scenario("x", bytes);
  RC_ASSERT(result.scenario.has_value() == result.diagnostics.empty());
}

}  // namespace
}  // namespace tenure::format
