// The states and the slots of a trace, held against its requests and its work.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace tenure::cli::testing {
namespace {

using nlohmann::json;

std::vector<json> trace_of(const std::string& scenario) {
  std::istringstream lines(shell("f=$(mktemp); \"$TENURE\" run ../../../scenarios/" + scenario +
                                 " --seed 1 --trace \"$f\" >/dev/null; cat \"$f\"; rm \"$f\"")
                               .out);
  std::vector<json> trace;
  for (std::string line; std::getline(lines, line);) trace.push_back(json::parse(line));
  return trace;
}

std::string kind_of(const json& line) { return line.value("kind", ""); }

// Faults cut the leader from the store in one direction, then in the other.
TEST(TraceStates, of_links_are_what_requests_meet) {
  std::map<std::string, double> cut_since;  // by node, on the way to the store
  std::set<std::string> left;               // while it was cut
  std::size_t cuts = 0;
  std::size_t came_late = 0;
  for (const json& line : trace_of("gallery/asymmetric-partition.toml")) {
    const std::string kind = kind_of(line);
    if (kind == "link-state") {
      cuts += line["cut"].get<bool>() ? 1 : 0;
      if (line["to"] != "store") continue;
      const std::string node = line["from"];
      if (line["cut"].get<bool>())
        cut_since[node] = line["at_seconds"].get<double>();
      else
        cut_since.erase(node);
    }
    if (kind != "request-left" && kind != "request-arrived") continue;
    const std::string node = line["node"];
    const std::string request = node + "#" + line["incarnation"].dump() + "/" + line["request"].dump();
    if (kind == "request-left") {
      if (cut_since.contains(node)) left.insert(request);
    } else if (left.contains(request)) {
      EXPECT_FALSE(cut_since.contains(node)) << request << " came through a link that is cut";
      ++came_late;
    }
  }
  EXPECT_EQ(cuts, 3U);
  EXPECT_FALSE(left.empty());
  EXPECT_TRUE(cut_since.empty()) << "a link is never whole again";
  EXPECT_GT(came_late, 0U);
}

TEST(TraceStates, of_a_store_that_hangs_last_as_long_as_it_executes_nothing) {
  bool hangs = false;
  std::size_t hung = 0;
  std::size_t applied = 0;
  for (const json& line : trace_of("gallery/store-hang.toml")) {
    if (kind_of(line) == "store-state") {
      hangs = line["hangs"].get<bool>();
      hung += hangs ? 1 : 0;
    } else if (kind_of(line) == "applied") {
      EXPECT_FALSE(hangs) << line.dump();
      ++applied;
    }
  }
  EXPECT_GT(hung, 0U);
  EXPECT_FALSE(hangs);
  EXPECT_GT(applied, 0U);
}

// Its schedule has no jitter, so a slot is due at its date.
TEST(TraceSlots, are_late_when_their_first_work_begins_late_and_say_what_they_waited_for) {
  std::map<std::string, double> begun;  // by slot, how late
  std::map<std::string, json> late;
  for (const json& line : trace_of("gallery/asymmetric-partition.toml")) {
    if (kind_of(line) == "work-landed" && line["landing"] == "begun")
      begun.emplace(line["slot"].get<std::string>(), line["late_seconds"].get<double>());
    if (kind_of(line) == "slot-late") {
      EXPECT_TRUE(late.emplace(line["slot"].get<std::string>(), line).second) << line.dump();
    }
  }
  std::size_t expected = 0;
  for (const auto& [slot, by] : begun) {
    if (by <= 1.0) continue;
    ++expected;
    ASSERT_TRUE(late.contains(slot)) << slot << " is late by " << by;
    EXPECT_EQ(late[slot]["late_seconds"].get<double>(), by) << slot;
  }
  EXPECT_EQ(late.size(), expected);
  // Nobody had led before; the answer to its commit did not come back; its leader had been cut off before the commit.
  EXPECT_EQ(late["2026-01-01T00:00:00Z"]["why"], "nobody led");
  EXPECT_EQ(late["2026-01-01T00:01:00Z"]["why"], "not begun");
  EXPECT_EQ(late["2026-01-01T00:01:10Z"]["why"], "not committed");
}

}  // namespace
}  // namespace tenure::cli::testing
