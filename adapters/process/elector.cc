#include "adapters/process/elector.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "adapters/process/messages.h"
#include "adapters/process/shared_core.h"
#include "core/base/check.h"
#include "core/base/host_failure.h"

namespace tenure::process {
namespace {

constexpr TimerId kWake{Part::elector, 0};
constexpr int kMostWakes = 10'000;                        // at one instant
constexpr std::uint64_t kSeeds = std::uint64_t{1} << 53;  // that every language reads exactly
constexpr std::size_t kShown = 300;                       // of a line, in an error
constexpr int kGraceMs = 1'000;  // for a process that has closed its output to end by itself

std::string shown(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.size() <= kShown ? std::string(line)
                               : fmt::format("{}… ({} bytes)", line.substr(0, kShown), line.size());
}

class ProcessElector final : public Elector {
 public:
  ProcessElector(const Program& program, const ElectorSetup& setup) : program_(program), setup_(setup) {}

  void step(const Input& input, Env& env) override {
    if (over_) return;
    const std::string line = line_of(input, env);
    if (line.empty() || over_) return;
    ++steps_;
    exchange(line, env);
    if (over_) env.clock.cancel_timer(kWake);
  }

  Leadership leadership(const Clock& clock) const override {
    if (!belief_) return {};
    if (const auto* mono = std::get_if<MonoTime>(&*belief_)) return {token_, *mono};
    if (const auto* wall = std::get_if<WallTime>(&*belief_)) {
      if (clock.wall() >= *wall) return {};
      return {token_, clock.mono() + (*wall - clock.wall())};
    }
    return {token_, MonoTime::max()};
  }

  std::unique_ptr<Elector> clone() const override {
    CHECK(false, "processes are not copied: who copies nodes refuses designs");
  }
  void hash(Hasher&, const Canon&) const override {
    CHECK(false, "processes are not hashed: who hashes nodes refuses designs");
  }

 private:
  // What the program is told of the input; empty: nothing.
  std::string line_of(const Input& input, Env& env) {
    if (const auto* started = std::get_if<Started>(&input)) {
      if (child_ != nullptr) return {};
      core_.emplace();
      child_ = program_.begin_life();
      twin_ = program_.begin_twin();
      SharedCore::take_in(child_->process());
      if (twin_ != nullptr) SharedCore::take_in(twin_->process());
      return start_line(
          {started->self, started->cluster_size, &setup_.parameters, env.random.choose(kSeeds, "program")},
          env.clock);
    }
    if (child_ == nullptr) return {};
    if (const auto* fired = std::get_if<TimerFired>(&input)) {
      if (fired->timer != kWake || spins(env)) return {};
      return wake_line(env.clock);
    }
    if (const auto* message = std::get_if<MessageReceived>(&input)) return message_line(*message, env.clock);
    if (std::holds_alternative<StopAsked>(input)) return stop_line(env.clock);
    if (const auto* reply = std::get_if<StoreReplied>(&input)) return line_of_reply(*reply, env);
    return {};
  }

  std::string line_of_reply(const StoreReplied& reply, Env& env) {
    const auto asked = asked_.find(reply.id);
    if (asked == asked_.end()) return {};
    const std::int64_t id = asked->second;
    asked_.erase(asked);
    // The engine does not run the statement at all: an error in the design, and no answer.
    if (const auto* answer = std::get_if<statements::Reply>(&reply.reply))
      if (const auto* failed = std::get_if<statements::SqlFailed>(answer);
          failed != nullptr && failed->sqlstate.empty()) {
        fail(fmt::format("request {}: {}", id, failed->message), env);
        return {};
      }
    return reply_line(reply, id, env.clock);
  }

  void exchange(const std::string& line, Env& env) {
    const Said said = heard_from(*child_, line, env);
    if (over_) return;
    const std::string& answer = said.answer;
    if (twin_ != nullptr) {
      const Said other = heard_from(*twin_, line, env);
      if (!over_ && other.aside != said.aside)
        fail(fmt::format("step {}: two processes were told the same since they started, and print otherwise "
                         "on {}: {} and {}",
                         steps_, shown(line), shown(said.aside), shown(other.aside)),
             env);
      if (!over_ && other.answer != answer)
        fail(fmt::format("step {}: two processes were told the same since they started, and answer {} "
                         "otherwise: {} and {}",
                         steps_, shown(line), shown(answer), shown(other.answer)),
             env);
      if (over_) return;
    }
    NodeAnswer read;
    if (const std::string problem = read_answer(answer, setup_.cluster_size, read); !problem.empty())
      return fail(
          fmt::format("step {}: {}: the answer to {} was {}", steps_, problem, shown(line), shown(answer)),
          env);
    if (read.wake)
      env.clock.set_timer(kWake, *read.wake);
    else
      env.clock.cancel_timer(kWake);
    for (const Act& act : read.acts) {
      std::visit([&](const auto& each) { perform(each, env); }, act);
      if (over_) return;
    }
  }

  struct Said {
    std::string answer;
    std::string aside;  // on standard error
  };
  Said heard_from(Child& child, const std::string& line, Env& env) {
    const Child::Heard heard = child.ask(line, program_.patience());
    std::string how;
    if (heard == Child::Heard::end) how = child.end(kGraceMs);
    const std::string aside = child.take_said();
    if (&child == child_.get() && heard != Child::Heard::silence) note_aside(aside, env);
    switch (heard) {
      case Child::Heard::line: return {std::string(child.answer()), aside};
      case Child::Heard::silence:
        throw HostFailure(fmt::format("step {}: {} has not answered {} for {} ms", steps_,
                                      program_.kind().name, shown(line), program_.patience().count()));
      case Child::Heard::end:
        fail(fmt::format("step {}: the process ended with {}, and did not answer {}{}{}", steps_, how,
                         shown(line), aside.empty() ? "" : ": ", aside),
             env);
        break;
      case Child::Heard::too_much:
        fail(fmt::format("step {}: the answer to {} is more than a line: {}", steps_, shown(line),
                         shown(child.answer())),
             env);
        break;
    }
    return {};
  }

  // A remark for each line.
  static void note_aside(std::string_view aside, Env& env) {
    while (!aside.empty()) {
      const std::size_t end = aside.find('\n');
      if (end != 0) env.journal.note(Remark{aside.substr(0, end)});
      aside = end == std::string_view::npos ? "" : aside.substr(end + 1);
    }
  }

  bool spins(Env& env) {
    const MonoTime now = env.clock.mono();
    wakes_ = std::exchange(woken_, now) == now ? wakes_ + 1 : 0;
    if (wakes_ < kMostWakes) return false;
    fail(fmt::format("step {}: it wants to be woken at once, again and again, and time stands still", steps_),
         env);
    return true;
  }

  // ---- what it wants done ----

  void perform(const SendAct& act, Env& env) { env.network.send(act.to, act.message); }
  void perform(const SqlAct& act, Env& env) {
    if (program_.kind().store == nullptr)
      return fail("a statement needs a store: the program described no `schema`", env);
    Submission submission;
    submission.store = setup_.store;
    submission.part = Part::elector;
    submission.request = statements::Request{statements::Execute{setup_.resource, act.statements}};
    submission.deadline = act.deadline;
    asked_.emplace(env.store.submit(std::move(submission)), act.id);
  }
  void perform(const BelieveAct& act, Env& env) {
    belief_ = act.until;
    token_ = act.token;
    env.journal.note(Believes{setup_.resource, token_, *belief_});
  }
  void perform(const StepDownAct& act, Env& env) { step_down(act.why, env); }
  void perform(const LogAct& act, Env& env) { env.journal.note(Remark{act.text, act.value}); }
  void perform(const StoppedAct&, Env& env) {
    step_down("asked to stop", env);
    over_ = true;
    env.journal.note(Stopped{});
  }
  void perform(const ErrorAct& act, Env& env) { fail(act.what, env); }

  void step_down(std::string_view why, Env& env) {
    if (!belief_) return;
    belief_.reset();
    env.journal.note(StepsDown{setup_.resource, why});
  }

  void fail(const std::string& what, Env& env) {
    env.journal.note(DesignError{what});
    step_down("its program failed", env);
    over_ = true;
  }

  const Program& program_;
  const ElectorSetup setup_;
  std::optional<SharedCore> core_;  // while there are processes
  std::unique_ptr<Child> child_;
  std::unique_ptr<Child> twin_;
  std::map<RequestId, std::int64_t> asked_;  // the program's own numbers
  std::uint64_t steps_ = 0;
  MonoTime woken_ = MonoTime::min();  // last
  int wakes_ = 0;                     // at that instant
  bool over_ = false;                 // stopped, or failed
  std::optional<Until> belief_;
  std::optional<Token> token_;
};

}  // namespace

std::unique_ptr<Elector> make_elector(const Program& program, const ElectorSetup& setup) {
  return std::make_unique<ProcessElector>(program, setup);
}

}  // namespace tenure::process
