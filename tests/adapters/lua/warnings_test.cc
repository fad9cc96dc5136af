// What is said of a design before it runs: where its texts stand, and that it does nothing.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "adapters/lua/design.h"
#include "adapters/lua/literals.h"
#include "adapters/lua/rehearsal.h"

namespace tenure::lua {
namespace {

std::string literals_in(std::string_view source) {
  std::string all;
  for (const Literal& each : literals_of(source)) all += std::to_string(each.line) + ":" + each.text + "|";
  return all;
}

TEST(Literals, are_all_texts_with_their_lines) {
  EXPECT_EQ(literals_in("local a, b = 'x', \"y\"\nreturn [[z\nz]], 'w'"), "1:x|1:y|2:z\nz|3:w|");
  EXPECT_EQ(literals_in("return [==[a]]b]==]"), "1:a]]b|");
  EXPECT_EQ(literals_in(R"(return 'it\'s', "a\\", 'b\n"c"')"), "1:it's|1:a\\\\|1:b\\n\"c\"|");
  EXPECT_EQ(literals_in("-- 'no'\n--[[ 'nor\nthis' ]] return t[a[1]], 'x'"), "3:x|");
  EXPECT_EQ(literals_in(""), "");
}

std::string idle_with(const std::string& node, const std::string& more = "") {
  Problem problem;
  const auto design =
      Design::read("my.lua", "return { name = 'mine', " + more + "node = function(t)\n" + node + "\nend }",
                   nullptr, problem);
  EXPECT_NE(design, nullptr) << problem.text;
  return idle_process(*design);
}

TEST(Rehearsal, finds_a_process_that_does_nothing) {
  EXPECT_EQ(idle_with("local function loop() t.sleep('1s') end"),
            "`node` returned at once and left nothing that goes on, as a loop, t.spawn or t.every: it does "
            "nothing");
  EXPECT_NE(idle_with("if t.leads() then t.spawn(function() t.sleep('1h') end) end"), "");
}

TEST(Rehearsal, knows_that_others_may_do_nothing_and_that_an_error_is_told_elsewhere) {
  for (const char* node :
       {"if t.number > 1 then return end t.sleep('1s')", "t.spawn(function() t.sleep('1s') end)",
        "t.believe{open = true}", "t.send(2, 'x')", "t.on_stop(function() end)", "t.disk.put('a', 1)",
        "error('x')", "t.every('1s', function() end)"})
    EXPECT_EQ(idle_with(node), "") << node;
}

}  // namespace
}  // namespace tenure::lua
