// `tenure audit` by the real program, on the journals of three processes of which one was killed, one stood still and
// one was stopped.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/process.h"

namespace tenure::cli::audit_tests {
namespace {

using nlohmann::json;
using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::shell;
using testing::tenure;

// A command in a folder with the three journals. What it changes it chains anew with `python3 $chain FILE…`.
Ended among_journals(const std::string& command) {
  return shell(
      "chain=$(realpath ../../../tests/adapters/runtime/rechain.py); d=$(mktemp -d); trap 'rm -r \"$d\"' "
      "EXIT; cp ../../../docs/examples/journals/*.jsonl \"$d\"; cd "
      "\"$d\"; " +
      command);
}

TEST(AuditCommand, ends_as_the_others_do) {
  EXPECT_EQ(among_journals("\"$TENURE\" audit *.jsonl").code, 0);
  // A belief that ends 5 s later than it did: 10 digits, the last nine of a second.
  const Ended late = among_journals(
      "sed -i -E 's/(\"until_mono\":[0-9]+)([0-9]{9})/\\1999999999/; "
      "s/\"until_mono\":([0-9])/\"until_mono\":9\\1/' "
      "*.jsonl; python3 $chain *.jsonl; \"$TENURE\" audit *.jsonl");
  EXPECT_EQ(late.code, 1);
  expect_out(late, {"FAIL 3 journals", "one-believer: n"});
  const Ended nothing = among_journals("head -n 1 node1.jsonl > one; \"$TENURE\" audit one");
  EXPECT_EQ(nothing.code, 2) << nothing.out;
  expect_out(nothing, {"INCONCLUSIVE 1 journal  1 life", "unexamined  one-believer: nothing to examine"});
  EXPECT_FALSE(has(nothing.out, "always")) << nothing.out;
  const Ended empty = among_journals(": > empty; \"$TENURE\" audit empty");
  EXPECT_EQ(empty.code, 2);
  expect_out(empty, "empty is empty: nothing was written to it");
}

TEST(AuditCommand, says_what_is_wrong_with_a_journal_and_where) {
  const Ended damaged = among_journals(
      "sed -i '3s/kind/kin/' node2.jsonl; python3 $chain node2.jsonl; \"$TENURE\" audit *.jsonl");
  EXPECT_EQ(damaged.code, 65);
  EXPECT_EQ(damaged.out, "");
  expect_err(damaged, "error: node2.jsonl:3: `kind` is missing");
  const Ended old = among_journals("sed -i 's/\"v\":4/\"v\":1/' node3.jsonl; \"$TENURE\" audit *.jsonl");
  EXPECT_EQ(old.code, 65);
  EXPECT_EQ(old.err,
            "error: node3.jsonl:1: this is version 1 of the journal's format, and 4 to 5 are known here\n");
  const Ended twice = among_journals("cp node1.jsonl copy.jsonl; \"$TENURE\" audit node1.jsonl copy.jsonl");
  EXPECT_EQ(twice.code, 65);
  EXPECT_EQ(twice.err,
            "error: copy.jsonl:1: this is the same life as node1.jsonl:1: give each journal once\n");
}

TEST(AuditCommand, says_where_a_line_is_missing_doubled_or_in_anothers_place) {
  const auto refused = [](const std::string& edit) {
    const Ended ended = among_journals(
        "sed -i '" + edit + "' node2.jsonl; python3 $chain node2.jsonl; \"$TENURE\" audit *.jsonl");
    EXPECT_EQ(ended.code, 65);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(
      refused("5d"),
      "error: node2.jsonl:5: line 5 of this life of node 2 is missing before this one, which is line 6\n");
  EXPECT_EQ(refused("5p"),
            "error: node2.jsonl:6: line 5 of this life of node 2 stands at node2.jsonl:5 already: a line is "
            "doubled\n");
  EXPECT_EQ(refused("5{h;d};6G"),
            "error: node2.jsonl:5: line 5 of this life of node 2 was to come, which stands at node2.jsonl:6: "
            "lines have changed places\n");
}

TEST(AuditCommand, says_what_no_journal_tells_of_and_does_not_pass) {
  const Ended missing = among_journals("\"$TENURE\" audit node1.jsonl node3.jsonl");
  EXPECT_EQ(missing.code, 2);
  expect_out(missing, "lacking     epoch 3 of resource 0 was granted");
  const Ended machines = among_journals(
      "sed -i 's/2f1c/2f1d/' node3.jsonl; python3 $chain node3.jsonl; \"$TENURE\" audit *.jsonl");
  EXPECT_EQ(machines.code, 2);
  expect_out(machines, "no journal holds the store's clock against a machine's");
  const json as_json = json::parse(among_journals("\"$TENURE\" audit node1.jsonl --format json").out);
  EXPECT_FALSE(as_json["lacking"].empty());
}

TEST(AuditCommand, accepts_a_journal_that_was_cut_off_and_says_so) {
  const Ended cut = among_journals("truncate -s -20 node1.jsonl; \"$TENURE\" audit *.jsonl");
  EXPECT_EQ(cut.code, 0) << cut.err;
  expect_out(cut, "node1.jsonl ends in the middle of line");
}

TEST(AuditCommand, cannot_read_what_is_not_there) {
  const Ended missing = tenure({"audit", "nowhere.jsonl"});
  EXPECT_EQ(missing.code, 74);
  expect_err(missing, "cannot read nowhere.jsonl: No such file or directory");
  EXPECT_EQ(tenure({"audit", "."}).code, 74);
  EXPECT_EQ(tenure({"audit"}).code, 64);
  EXPECT_EQ(tenure({"audit", "x", "--format", "github"}).code, 64);
}

TEST(AuditCommand, as_json_has_what_the_text_has) {
  const Ended ended = among_journals("\"$TENURE\" audit *.jsonl --format json");
  EXPECT_EQ(ended.code, 0);
  const json audit = json::parse(ended.out);
  EXPECT_EQ(audit["verdict"], "pass");
  EXPECT_EQ(audit["lives"].size(), 3U);
  bool reported = false;
  for (const json& check : audit["checks"]) {
    EXPECT_GT(check["examined"], 0) << check;
    if (check["name"] == "one-worker") reported = check["violations"] == 1 && check["promised"] == false;
  }
  EXPECT_TRUE(reported) << "one of them stood still with its work";
  EXPECT_EQ(audit["not_judged"].size(), 22U);
}

}  // namespace
}  // namespace tenure::cli::audit_tests
