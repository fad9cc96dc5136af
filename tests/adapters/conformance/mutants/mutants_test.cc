// Each planted bug of the SQLite store is noticed by the conformance suite; without one, it finds nothing.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "core/base/hash.h"
#include "tests/adapters/conformance/concurrent.h"
#include "tests/adapters/conformance/sequence.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

namespace tenure::conformance {
namespace {

constexpr int kLength = 1'000;

std::vector<Operation> history(std::uint64_t seed) {
  std::vector<Operation> operations;
  for (std::uint64_t i = 0; i < kLength; ++i) {
    const auto number = [&](std::uint64_t which) {
      return static_cast<std::uint32_t>(reduce(mix64(mix64(seed, i), which), 1'000'000));
    };
    operations.push_back({number(1), number(2), number(3)});
  }
  return operations;
}

std::optional<std::string> noticed() {
  for (std::uint64_t seed = 1; seed <= mutant::budget().front().seeds; ++seed)
    if (auto found = difference(engines().front(), history(seed))) return found;
  return difference(engines().front(), gives_back_what_gives_way());
}

TEST(StoreMutants, without_one_nothing_is_noticed) {
  const auto found = noticed();
  EXPECT_FALSE(found) << *found;
}

// What never happens is compared with nothing.
TEST(StoreMutants, histories_come_to_every_kind_of_reply) {
  Reached reached;
  for (std::uint64_t seed = 1; seed <= mutant::budget().front().seeds; ++seed)
    EXPECT_FALSE(difference(engines().front(), history(seed), &reached));
  std::string text;
  for (const auto& [what, times] : reached) text += what + ": " + std::to_string(times) + "\n";
  RecordProperty("reached", text);
  std::istringstream names(
      "Granted; refused, 0; refused, 1; refused, 2; refused, 3; refused, 4; refused, 5; refused, 6; "
      "Released; Edited; EditRefused; Due; Committed; row 0; row 1; row 2; row 3; CommitRefused; "
      "held; Outbox; Acknowledged; Changes; HoldSet; Pruned; Dead; Redriven; Discarded; GivenUp; "
      "NamedEdited; named refused, 0; named refused, 2; named refused, 4; NamedSchedules; Payloads; "
      "Log; payload found; payload that is empty; payload of an event that is gone; row 4; handed "
      "out; handed out again; execution 0; execution 2; execution 3; execution 4; execution 5; "
      "execution 6; execution 7; execution 8; acknowledged, though claimed; history 0; history 2; "
      "history 3; history 4; history 5; history 6; NodeRegistered; paused by nobody; paused by "
      "somebody");
  for (std::string what; std::getline(names >> std::ws, what, ';');)
    EXPECT_GE(reached[what], 5u) << what << "\n" << text;
}

TEST(StoreMutants, steps_come_to_what_they_are_for) {
  Reached reached;
  EXPECT_FALSE(difference(engines().front(), gives_back_what_gives_way(), &reached));
  EXPECT_EQ(reached["execution 1"], 1u) << "cancelled";
  EXPECT_EQ(reached["execution 5"], 2u) << "replaced";
  EXPECT_EQ(reached["handed out"], 2u);
  EXPECT_EQ(reached["handed out again"], 0u);
}

TEST(StoreMutants, every_one_is_noticed) {
  for (std::size_t i = 0; i < mutant::mutants().size(); ++i) {
    const mutant::Mutant& planted = mutant::mutants()[i];
    const mutant::On on(static_cast<int>(i));
    const auto found = noticed();
    EXPECT_TRUE(found) << planted.name << ": " << planted.bug;
  }
}

}  // namespace
}  // namespace tenure::conformance
