// A host of core/driver, with one node in it that does what a test tells it to, as the clauses of the contract see it.
//
// The three hosts (the simulator's process, exploration, the production loop) differ in what they add: departures,
// moves, threads. Here each is driven by hand on a clock that the test moves, so that one clause can be asked of all of
// them. What a host cannot show it says, and the clause is skipped there.
//
// Thread rule: one test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/instance.h"
#include "core/model/node.h"

namespace tenure::testing {

// What the node does, and what it was told. It outlives the node's lives.
struct Script {
  using Act = std::function<void(const Input&, Env&)>;

  struct ListenerEvent {
    Incarnation who;  // in which life
    MonoTime at;
    Input input;
  };
  Act act = [](const Input&, Env&) {};
  std::vector<ListenerEvent> heard;
  std::vector<RequestId> ids;  // of all that was asked
  Incarnation who;
  bool recording = true;

  void step(const Input& input, Env& env);
  // Asks the store something that is known by its number on the way: the 1st thing asked is 1, and so on.
  void ask(Env& env, Duration within, Part part = Part::elector);

  template <class T>
  std::vector<ListenerEvent> heard_of() const {
    std::vector<ListenerEvent> found;
    for (const ListenerEvent& one : heard)
      if (std::holds_alternative<T>(one.input)) found.push_back(one);
    return found;
  }
};

class ScriptedNode final : public Node {
 public:
  explicit ScriptedNode(Script& script) : script_(script) {}
  void step(const Input& input, Env& env) override { script_.step(input, env); }
  std::unique_ptr<Node> clone() const override { return std::make_unique<ScriptedNode>(script_); }
  void hash(Hasher&, const Canon&) const override {}

 private:
  Script& script_;
};

class HostUnderTest {
 public:
  // A request that has left.
  struct Left {
    std::uint64_t number = 0;  // as it was asked
    std::uint32_t connection = 0;
  };
  enum class Can : std::uint8_t {
    hold_effects,      // they do not leave at once
    withhold_effects,  // for as long as the test wants
    show_connections,  // on which a request travels
    answer_late,       // after the driver has given up
    pause,
    tell_what_it_believes,
  };

  explicit HostUnderTest(Script& script) : script_(script) {}
  virtual ~HostUnderTest() = default;
  HostUnderTest(const HostUnderTest&) = delete;

  virtual std::string_view name() const = 0;
  virtual bool can(Can what) const = 0;
  virtual void start() = 0;
  virtual void end_life() = 0;  // what was under way stays under way
  virtual void ask_to_stop() = 0;
  virtual bool alive() const = 0;
  virtual bool believes() const { return false; }
  virtual MonoTime now() const = 0;
  // Time goes on, and what is due happens when it is due.
  virtual void pass(Duration by) = 0;
  virtual void pause() {}
  virtual void resume() {}
  virtual void withhold(bool /*effects*/) {}  // or let them leave again
  // The store's answer to a request that has left arrives.
  virtual void answer(std::uint64_t number, RequestOutcome outcome) = 0;
  // In the order in which they left.
  virtual std::vector<Left> left() const = 0;

 protected:
  Script& script_;
};

std::unique_ptr<HostUnderTest> make_sim_host(Script& script);
std::unique_ptr<HostUnderTest> make_explore_host(Script& script);
std::unique_ptr<HostUnderTest> make_runtime_host(Script& script);

inline constexpr std::unique_ptr<HostUnderTest> (*kHosts[])(Script&) = {make_sim_host, make_explore_host,
                                                                        make_runtime_host};

// The number that Script::ask() gave a request.
std::uint64_t number_in(const Request& request);

}  // namespace tenure::testing
