// What every elector owes, whatever its protocol: a walk over the registry.
#include "sim/protocols/registry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "core/lease/elector_kind.h"
#include "core/lease/fenced_lease/fenced_lease.h"
#include "core/store/store_kind.h"
#include "sim/stores/registry.h"
#include "tests/sim/protocols/families.h"
#include "tests/sim/protocols/random_inputs.h"

namespace tenure {
namespace {

using testing::Stand;

constexpr std::size_t kEffectsMax = 12;

// What the journal has said so far, and so what leadership() must say now.
class Belief {
 public:
  void read(const Stand& node) {
    for (const auto& made : node.world.all<testing::NoteMade>()) {
      if (const auto* believes = std::get_if<Believes>(&made.note)) said_ = *believes;
      if (std::holds_alternative<StepsDown>(made.note)) said_.reset();
    }
  }
  bool leads(const Stand& node) const {
    if (!said_) return false;
    if (const auto* mono = std::get_if<MonoTime>(&said_->until)) return node.world.now() < *mono;
    if (const auto* wall = std::get_if<WallTime>(&said_->until)) return node.world.wall_now() < *wall;
    return true;
  }
  std::optional<Token> token() const { return said_ ? said_->token : std::nullopt; }

 private:
  std::optional<Believes> said_;
};

bool stopped(const Stand& node) { return !node.world.notes<Stopped>().empty(); }

void give_random_inputs(Stand& node, const std::vector<std::uint64_t>& codes, const auto& after_each) {
  node.world.seed(1);
  node.start();
  after_each();
  for (const std::uint64_t code : codes) {
    const Input input = testing::some_input(code, node.world);
    node.step(input);
    after_each();
  }
}

RC_GTEST_PROP(Electors, say_in_the_journal_what_they_believe, (const std::vector<std::uint64_t>& codes)) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand node(kind);
    Belief belief;
    give_random_inputs(node, codes, [&] {
      belief.read(node);
      RC_ASSERT(node.leads() == belief.leads(node));
      if (node.leads()) RC_ASSERT(node.leadership().token == belief.token());
      RC_ASSERT(!node.leads() || node.leadership().token.has_value() == kind.has_tokens);
    });
  }
}

RC_GTEST_PROP(Electors, take_a_bounded_step_on_any_input, (const std::vector<std::uint64_t>& codes)) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand node(kind);
    give_random_inputs(node, codes, [&] {
      RC_ASSERT(node.world.effects().size() <= kEffectsMax);
      for (const auto& asked : node.world.all<testing::Requested>()) {
        RC_ASSERT(asked.submission.part == Part::elector);
        RC_ASSERT(asked.submission.deadline >= node.world.now());
        RC_ASSERT(!asked.submission.as_leader);
      }
      for (const auto& [timer, deadline] : node.world.timers()) RC_ASSERT(timer.part == Part::elector);
    });
  }
}

RC_GTEST_PROP(Electors, do_nothing_after_they_have_stopped, (const std::vector<std::uint64_t>& codes)) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand node(kind);
    bool over = false;
    give_random_inputs(node, codes, [&] {
      if (over) RC_ASSERT(node.world.effects().empty());
      over = over || stopped(node);
      if (over) RC_ASSERT(!node.leads());
    });
    node.step(StopAsked{});
    for (int answers = 0; !over && answers < 100; ++answers) {  // one way or the other, it comes to its end
      over = stopped(node);
      if (over) break;
      if (!node.world.outstanding().empty())
        node.step(node.world.unknown(node.world.outstanding().begin()->first));
      else if (node.world.next_timer())
        node.fire_next();
    }
    RC_ASSERT(over);
  }
}

// A node that is not stopped is never left without anything that will wake it.
RC_GTEST_PROP(Electors, always_have_something_to_wait_for, (const std::vector<std::uint64_t>& codes)) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand node(kind);
    bool over = false;
    give_random_inputs(node, codes, [&] {
      over = over || stopped(node);
      // Timers that were fired before their time are still set.
      RC_ASSERT(over || !node.world.outstanding().empty() || !node.world.timers().empty());
    });
  }
}

RC_GTEST_PROP(Electors, a_clone_does_what_the_original_does, (const std::vector<std::uint64_t>& codes)) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand original(kind);
    Stand cloned(kind);
    std::vector<std::uint64_t> hashes;
    give_random_inputs(original, codes, [&] { hashes.push_back(original.hash()); });
    std::size_t step = 0;
    give_random_inputs(cloned, codes, [&] {
      cloned.elector = cloned.elector->clone();
      RC_ASSERT(cloned.hash() == hashes[step++]);
    });
    RC_ASSERT(cloned.transcript.text() == original.transcript.text());
  }
}

RC_GTEST_PROP(Electors, hash_alike_at_any_time,
              (const std::vector<std::uint64_t>& codes, std::uint16_t hours)) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand early(kind);
    Stand late(kind);
    late.world.advance(Duration::hours(hours));
    std::vector<std::uint64_t> hashes;
    give_random_inputs(early, codes, [&] { hashes.push_back(early.hash()); });
    std::size_t step = 0;
    give_random_inputs(late, codes, [&] { RC_ASSERT(late.hash() == hashes[step++]); });
  }
}

// Invariant 2 of fenced-lease, on arbitrary histories: belief never reaches beyond what some grant allows.
RC_GTEST_PROP(FencedLease, never_believes_beyond_its_grants, (const std::vector<std::uint64_t>& codes)) {
  Stand node(kFencedLease);
  node.world.seed(1);
  node.start();
  MonoTime allowed = MonoTime::min();
  for (const std::uint64_t code : codes) {
    const Input input = testing::some_input(code, node.world);
    if (const auto* answer = std::get_if<StoreReplied>(&input);
        answer && answer->outcome == RequestOutcome::applied)
      if (const auto* reply = std::get_if<reference::Reply>(&answer->reply))
        if (const auto* grant = std::get_if<reference::Granted>(reply))
          allowed = std::max(
              allowed, answer->sent_at + fenced_lease_belief(grant->duration, 500, Duration::millis(100)));
    node.step(input);
    RC_ASSERT(!node.leads() || node.leadership().believed_until <= allowed);
    // Invariant 3: what was asked to be released is not believed afterwards.
    for (const auto& release : node.world.requests<reference::Release>())
      RC_ASSERT(!node.leads() || node.leadership().token != release.request.token);
  }
}

TEST(Electors, state_that_matters_is_in_the_hash) {
  for (const ElectorKind& kind : elector_kinds()) {
    Stand node(kind);
    std::set<std::uint64_t> hashes{node.hash()};
    node.start();
    if (!node.world.outstanding().empty()) {
      EXPECT_TRUE(hashes.insert(node.hash()).second) << kind.name << ": a request under way";
      node.step(node.world.unknown(node.world.outstanding().begin()->first));
    } else {
      node.fire_next();
    }
    EXPECT_TRUE(hashes.insert(node.hash()).second) << kind.name << ": what came of it";
  }
}

TEST(Electors, are_found_by_name) {
  std::set<std::string_view> names;
  for (const ElectorKind& kind : elector_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(find_elector_kind(kind.name), &kind);
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_TRUE(kind.store == nullptr || find_store_kind(kind.store->name) == kind.store);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"fenced-lease", "db-lease", "heartbeat-lock", "client-go",
                                               "token-ring"}));
  EXPECT_EQ(find_elector_kind("fenced_lease"), nullptr);
  EXPECT_EQ(find_elector_kind(""), nullptr);
}

TEST(Electors, have_defaults_that_are_in_range_and_safe) {
  for (const ElectorKind& kind : elector_kinds()) {
    const Parameters parameters{kind.parameters()};
    std::set<std::string_view> names;
    for (const ParameterSpec& spec : kind.parameters()) {
      EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
      EXPECT_LE(spec.min, spec.default_value) << spec.name;
      EXPECT_LE(spec.default_value, spec.max) << spec.name;
      EXPECT_FALSE(spec.doc.empty()) << spec.name;
      EXPECT_NE(spec.doc.back(), '.') << spec.name;
    }
    for (const Complaint& complaint : kind.validate(parameters))
      ADD_FAILURE() << kind.name << ": " << complaint.text;
  }
}

// Whatever the values, within their ranges: complaints name a parameter, and values without an ill-formed
// complaint make an elector that can start.
RC_GTEST_PROP(Electors, validate_any_values_in_range, (std::uint64_t code)) {
  testing::Dice dice{code};
  for (const ElectorKind& kind : elector_kinds()) {
    Stand::Settings settings;
    Parameters parameters{kind.parameters()};
    for (std::size_t i = 0; i < kind.parameters().size(); ++i) {
      const ParameterSpec& spec = kind.parameters()[i];
      const std::int64_t options[] = {spec.min, spec.max, spec.default_value, spec.default_value};
      settings.emplace_back(spec.name, dice.pick(options));
      parameters.set(static_cast<int>(i), settings.back().second);
    }
    bool well_formed = true;
    for (const Complaint& complaint : kind.validate(parameters)) {
      RC_ASSERT(parameters.find(complaint.parameter) >= 0);
      RC_ASSERT(!complaint.text.empty());
      if (complaint.accept.empty()) well_formed = false;
    }
    if (!well_formed) continue;
    Stand node(kind, settings);
    node.start();
    for (int steps = 0; steps < 10 && node.world.next_timer(); ++steps) node.fire_next();
  }
}

TEST(Electors, claim_invariants_that_exist) {
  const std::set<std::string_view> invariants = {"one-holder-per-epoch", "epochs-increase", "fenced-writes",
                                                 "acts-within-belief",   "one-believer",    "one-worker",
                                                 "no-duplicate-fire",    "no-lost-fire",    "no-drift",
                                                 "never-early",          "leader-elected",  "caught-up"};
  for (const ElectorKind& kind : elector_kinds()) {
    std::set<std::string_view> claimed;
    for (const Claim& claim : kind.claims()) {
      EXPECT_TRUE(invariants.contains(claim.invariant)) << claim.invariant;
      EXPECT_TRUE(claimed.insert(claim.invariant).second) << claim.invariant << " is claimed twice";
      const std::set<Assumption> assumptions(claim.assumptions.begin(), claim.assumptions.end());
      EXPECT_EQ(assumptions.size(), claim.assumptions.size()) << claim.invariant;
    }
    EXPECT_TRUE(claimed.contains("one-believer")) << kind.name;
    EXPECT_TRUE(claimed.contains("leader-elected")) << kind.name;
    const bool about_tokens = claimed.contains("one-holder-per-epoch") || claimed.contains("fenced-writes");
    EXPECT_EQ(about_tokens, kind.has_tokens) << kind.name;
  }
}

TEST(Electors, have_a_readme_that_names_their_parameters_and_claims) {
  for (const ElectorKind& kind : elector_kinds()) {
    std::string folder{kind.name};
    std::replace(folder.begin(), folder.end(), '-', '_');
    std::ifstream file{std::string{TENURE_SOURCE_DIR} + "/" +
                       (folder == "fenced_lease" ? "core/lease/" : "sim/protocols/") + folder + "/README.md"};
    const std::string readme{std::istreambuf_iterator<char>{file}, {}};
    ASSERT_FALSE(readme.empty()) << kind.name;
    for (const ParameterSpec& spec : kind.parameters())
      EXPECT_NE(readme.find("`" + std::string{spec.name} + "`"), std::string::npos)
          << kind.name << ": " << spec.name;
    for (const Claim& claim : kind.claims()) {
      const std::size_t row = readme.find("| " + std::string{claim.invariant} + " |");
      ASSERT_NE(row, std::string::npos) << kind.name << ": " << claim.invariant;
      const std::string line = readme.substr(row, readme.find('\n', row) - row);
      for (const Assumption assumption : claim.assumptions)
        EXPECT_NE(line.find(name_of(assumption)), std::string::npos) << line << ": " << name_of(assumption);
    }
  }
}

}  // namespace
}  // namespace tenure
