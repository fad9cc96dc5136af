// An elector on a test stand: one node, stepped by hand in a scripted world.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lease/elector_kind.h"
#include "tests/support/scripted_env.h"
#include "tests/support/transcript.h"

namespace tenure::testing {

class Stand {
 public:
  using Settings = std::vector<std::pair<std::string_view, std::int64_t>>;

  explicit Stand(const ElectorKind& kind, const Settings& settings = {}, std::uint32_t cluster_size = 3,
                 std::uint32_t self = 0)
      : world({NodeId{self}, 1}), cluster_size_(cluster_size) {
    Parameters parameters{kind.parameters()};
    for (const auto& [name, value] : settings) parameters.set(parameters.find(name), value);
    elector = kind.make(ElectorSetup{NodeId{self}, cluster_size, StoreId{}, ResourceId{}, parameters});
  }

  // Gives one input; the effects of this step alone are in world.effects() afterwards.
  void step(const Input& input) {
    world.take();
    elector->step(input, world.env());
    transcript.input(world.now(), input);
    transcript.effects(world.effects());
  }
  void start() { step(Started{world.self(), cluster_size_}); }
  void fire(std::uint8_t name) { step(world.fire(TimerId{Part::elector, name})); }
  void fire_next() { step(world.fire_next()); }
  std::optional<MonoTime> timer(std::uint8_t name) const { return world.timer(TimerId{Part::elector, name}); }
  void hear(std::uint32_t from, std::string kind, std::vector<std::int64_t> words) {
    step(MessageReceived{NodeId{from}, Message{std::move(kind), std::move(words)}});
  }

  // The id of the only request in the last step.
  template <class T>
  RequestId asked() const {
    return world.only_request<T>().id;
  }
  template <class R>
  void answer(RequestId id, R reply) {
    step(world.applied(id, std::move(reply)));
  }

  Leadership leadership() const { return elector->leadership(world.clock()); }
  bool leads() const { return leadership().leads(world.now()); }
  std::uint64_t hash() const {
    Hasher hasher;
    elector->hash(hasher, Canon{world.now(), world.wall_now()});
    return hasher.value();
  }

  ScriptedEnv world;
  std::unique_ptr<Elector> elector;
  Transcript transcript;

 private:
  std::uint32_t cluster_size_;
};

}  // namespace tenure::testing
