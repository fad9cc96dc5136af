// hash() misses nothing: electors that hash alike behave alike.
//
// Twins take the same drawn inputs, and then each a last one of its own, or the same one earlier and later. If they
// still hash alike, each of a list of probes must find no difference: the same effects, the same leadership, and alike
// again afterwards. What the world around them knows (timers, declared beliefs) is not looked at: it would stand in for
// what the hash left out. It does not find everything: docs/exhaustive.md says how much.
#include <gtest/gtest.h>

#include <string>

#include "sim/protocols/registry.h"
#include "tests/sim/protocols/families.h"
#include "tests/sim/protocols/random_inputs.h"

namespace tenure {
namespace {

using testing::Dice;
using testing::Stand;

struct Behaviour {
  std::string effects;
  std::uint64_t hash = 0;
  bool leads = false;
  bool operator==(const Behaviour&) const = default;
};

// What a copy of the node's elector does if it is told `input` after `wait`.
Behaviour probe(const Stand& node, Duration wait, const Input& input) {
  testing::ScriptedEnv world(node.world.self());
  world.advance(node.world.now() + wait - world.now());
  world.set_wall(node.world.wall_now() + wait);
  // What it asks for next has a number and a nonce that nobody has named before, as it would on the stand.
  for (int used = 0; used < 60; ++used) {
    world.env().store.submit({});
    world.env().random.nonce("used");
  }
  world.take();
  const std::unique_ptr<Elector> copy = node.elector->clone();
  copy->step(input, world.env());
  testing::Transcript transcript;
  transcript.effects(world.effects());
  Hasher hasher;
  copy->hash(hasher, Canon{world.now(), world.wall_now()});
  return {transcript.text(), hasher.value(), copy->leadership(world.clock()).leads(world.now())};
}

// Half of them answers with the token that the node leads under, or one of a few: blind draws hardly ever fit.
Input likely_input(std::uint64_t code, Stand& node) {
  Dice dice(code);
  if (dice.roll(2) == 0 || node.world.outstanding().empty()) return testing::some_input(code, node.world);
  const testing::Requested asked = node.world.outstanding().begin()->second;
  if (!std::holds_alternative<reference::Request>(asked.submission.request))
    return testing::some_input(code, node.world);
  const Token token = node.leadership().token.value_or(Token{1, 1 + dice.roll(3), 1});
  constexpr Duration kLeases[] = {Duration::seconds(10), Duration::seconds(15), Duration::seconds(20)};
  if (dice.roll(4) == 0)
    return node.world.applied(asked.id,
                              reference::Refused{reference::Denial::other_holder, {}, token.epoch, {}});
  return node.world.applied(asked.id, reference::Granted{token, dice.pick(kLeases)});
}

std::vector<Input> probes(const Stand& node, Dice& dice) {
  std::vector<Input> inputs = {StopAsked{},
                               ChangeNotified{StoreId{}, {Notification::What::lease_freed, ResourceId{}}},
                               MessageReceived{NodeId{1}, testing::some_message(dice)}};
  for (std::uint8_t name = 0; name < 4; ++name) inputs.emplace_back(TimerFired{TimerId{Part::elector, name}});
  for (const auto& [id, asked] : node.world.outstanding()) {
    StoreReplied answer;
    answer.id = id;
    answer.sent_at = asked.at;
    inputs.emplace_back(answer);
    answer.outcome = RequestOutcome::applied;
    if (std::holds_alternative<reference::Request>(asked.submission.request)) {
      for (std::uint64_t epoch = 1; epoch < 4; ++epoch) {
        answer.reply = reference::Reply{reference::Granted{{1, epoch, 1}, Duration::minutes(5)}};
        inputs.emplace_back(answer);
      }
    }
    for (int i = 0; i < 4; ++i) {
      answer.reply = testing::fitting_reply(dice, node.world, asked.submission.request);
      inputs.emplace_back(answer);
    }
  }
  return inputs;
}

// What is still to be answered, and when it was sent.
std::vector<std::pair<RequestId, MonoTime>> outstanding(const Stand& node) {
  std::vector<std::pair<RequestId, MonoTime>> sent;
  for (const auto& [id, asked] : node.world.outstanding()) sent.emplace_back(id, asked.at);
  return sent;
}

// The number of twins that ended by different inputs and hash alike.
int compare_twins(const ElectorKind& kind, std::uint64_t runs) {
  int alike = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Stand one(kind);
    Stand other(kind);
    // Mixed first: one round on a small seed leaves one roll much like the next.
    const std::uint64_t seed = Hasher{run}.add(0x9e3779b97f4a7c15ULL).add(run).value();
    Dice dice(seed);
    one.start();
    other.start();
    for (std::uint64_t length = dice.roll(16); length > 0; --length) {
      const std::uint64_t code = Hasher{seed}.add(length).add(seed).value();
      one.step(likely_input(code, one));
      other.step(likely_input(code, other));
    }
    // The last input: another one, or the same one at another moment.
    const std::uint64_t last = Hasher{seed}.add(100).add(seed).value();
    const std::uint64_t mode = dice.roll(3);
    const Duration later = Duration::seconds(static_cast<std::int64_t>(1 + dice.roll(3)));
    if (mode == 0) one.world.advance(later);
    if (mode == 1 && !one.world.outstanding().empty()) {  // two answers to one request
      const auto [id, asked] = *one.world.outstanding().begin();
      one.step(one.world.applied(id, testing::fitting_reply(dice, one.world, asked.submission.request)));
      other.step(other.world.applied(id, testing::fitting_reply(dice, one.world, asked.submission.request)));
    } else {
      one.step(likely_input(last, one));
      other.step(likely_input(mode == 0 ? last : ~last, other));
    }
    if (mode == 0) other.world.advance(later);
    // Together again: what hides behind the last answer may show only after the next input.
    for (std::uint64_t i = dice.roll(3); i > 0 && outstanding(one) == outstanding(other); --i) {
      if (one.world.now() != other.world.now()) break;
      const std::uint64_t code = Hasher{seed}.add(200 + i).add(seed).value();
      one.step(likely_input(code, one));
      other.step(likely_input(code, other));
    }
    const Duration apart = other.world.now() - one.world.now();
    if (apart > Duration{}) one.world.advance(apart);
    if (apart < Duration{}) other.world.advance(-apart);
    if (outstanding(one) != outstanding(other) || one.world.wall_now() != other.world.wall_now()) continue;
    if (one.hash() != other.hash()) continue;
    ++alike;
    const std::vector<Input> inputs = probes(one, dice);
    for (const Duration wait :
         {Duration{}, Duration::seconds(3), Duration::seconds(14), Duration::minutes(2)}) {
      for (const Input& input : inputs) {
        const Behaviour mine = probe(one, wait, input);
        const Behaviour its = probe(other, wait, input);
        if (mine == its) continue;
        ADD_FAILURE() << kind.name << ", run " << run << ": alike, and then " << describe(input) << " after "
                      << describe(wait) << "\n"
                      << mine.effects << "or\n"
                      << its.effects;
        return alike;
      }
    }
  }
  return alike;
}

TEST(ElectorHash, of_those_that_behave_differently_differs) {
  for (const ElectorKind& kind : elector_kinds()) EXPECT_GT(compare_twins(kind, 2'000), 100) << kind.name;
}

}  // namespace
}  // namespace tenure
