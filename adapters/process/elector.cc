#include "adapters/process/elector.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "adapters/design/life.h"
#include "adapters/process/messages.h"
#include "adapters/process/shared_core.h"
#include "core/base/check.h"
#include "core/base/host_failure.h"
#include "core/base/readable_text.h"
#include "core/model/describe.h"

namespace tenure::process {
namespace {

constexpr std::uint64_t kSeeds = std::uint64_t{1} << 53;  // that every language reads exactly
constexpr std::size_t kShown = 300;                       // of a line, in an error

std::string shown(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.size() <= kShown ? std::string(line)
                               : fmt::format("{}… ({} bytes)", line.substr(0, kShown), line.size());
}

class ProcessElector final : public Elector {
 public:
  ProcessElector(const Program& program, const ElectorSetup& setup)
      : program_(program), setup_(setup), life_(setup.resource, Part::elector) {}

  void step(const Input& input, Env& env) override {
    if (life_.is_over()) return;
    const std::string line = line_of(input, env);
    if (line.empty() || life_.is_over()) return;
    ++steps_;
    exchange(line, env);
  }

  Leadership leadership(const Clock& clock) const override { return life_.leadership(clock); }

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
      if (fired->timer != life_.timer()) return {};
      if (!life_.spins(env.clock.mono())) return wake_line(env.clock);
      fail_here("it wants to be woken at once, again and again, and time stands still", env);
      return {};
    }
    if (const auto* message = std::get_if<MessageReceived>(&input)) return message_line(*message, env.clock);
    if (std::holds_alternative<StopAsked>(input)) {
      stop_asked_ = true;
      return stop_line(env.clock);
    }
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
        life_.fail(fmt::format("request {}: {}", id, failed->message), env);
        return {};
      }
    return reply_line(reply, id, env.clock);
  }

  struct Said {
    std::string answer;
    std::string aside;  // on standard error
  };

  void exchange(const std::string& line, Env& env) {
    const Said said = heard_from(*child_, line, env);
    if (life_.is_over()) return;
    if (twin_ != nullptr) {
      compare(said, heard_from(*twin_, line, env), line, env);
      if (life_.is_over()) return;
    }
    NodeAnswer read;
    const MayAsk may{setup_.cluster_size, program_.kind().has_tokens};
    if (const std::string problem = read_answer(said.answer, may, read); !problem.empty())
      return fail_here(fmt::format("{}: the answer to {} was {}", problem, shown(line), shown(said.answer)),
                       env);
    if (read.wake)
      env.clock.set_timer(life_.timer(), *read.wake);
    else
      env.clock.cancel_timer(life_.timer());
    for (const Act& act : read.acts) {
      std::visit([&](const auto& each) { perform(each, env); }, act);
      if (life_.is_over()) return;
    }
  }

  void compare(const Said& one, const Said& other, const std::string& line, Env& env) {
    if (life_.is_over()) return;
    if (other.aside != one.aside)
      fail_here(
          fmt::format("two processes were told the same since they started, and print otherwise on {}: {} "
                      "and {}",
                      shown(line), shown(one.aside), shown(other.aside)),
          env);
    else if (other.answer != one.answer)
      fail_here(
          fmt::format("two processes were told the same since they started, and answer {} otherwise: {} "
                      "and {}",
                      shown(line), shown(one.answer), shown(other.answer)),
          env);
  }

  Said heard_from(Child& child, const std::string& line, Env& env) {
    const Child::Heard heard = child.ask(line, program_.patience());
    if (heard == Child::Heard::silence)
      throw HostFailure(
          readable_text(fmt::format("{}: step {}: {} has not answered {} for {} ms", describe(setup_.self),
                                    steps_, program_.name(), shown(line), program_.patience().count())));
    std::string how;
    if (heard == Child::Heard::end) how = child.end(Child::kGraceMs);
    const std::string aside = child.take_said();
    if (&child == child_.get()) note_aside(aside, env);
    if (heard == Child::Heard::line) return {std::string(child.answer()), aside};
    if (heard == Child::Heard::end)
      fail_here(fmt::format("the process ended with {}, and did not answer {}{}{}", how, shown(line),
                            aside.empty() ? "" : ": ", aside),
                env);
    else if (heard == Child::Heard::too_long)
      fail_here(fmt::format("the answer to {} is longer than {} bytes: {}", shown(line),
                            Child::kLongestAnswer, shown(child.answer())),
                env);
    else
      fail_here(fmt::format("the answer to {} is more than a line: {}", shown(line), shown(child.answer())),
                env);
    return {};
  }

  // A remark for each line.
  static void note_aside(std::string_view aside, Env& env) {
    while (!aside.empty()) {
      const std::size_t end = aside.find('\n');
      if (end != 0) design::Life::remark(aside.substr(0, end), 0, env);
      aside = end == std::string_view::npos ? "" : aside.substr(end + 1);
    }
  }

  // ---- what it wants done ----

  void perform(const SendAct& act, Env& env) { env.network.send(act.to, act.message); }
  void perform(const SqlAct& act, Env& env) {
    if (program_.kind().store == nullptr)
      return fail_here("a statement needs a store: the program described no `schema`", env);
    Submission submission;
    submission.store = setup_.store;
    submission.part = Part::elector;
    submission.request = statements::Request{statements::Execute{setup_.resource, act.statements}};
    submission.deadline = act.deadline;
    asked_.emplace(env.store.submit(std::move(submission)), act.id);
  }
  void perform(const BelieveAct& act, Env& env) { life_.believe(act.until, act.token, env); }
  void perform(const StepDownAct& act, Env& env) { life_.step_down(act.why, env); }
  void perform(const LogAct& act, Env& env) { design::Life::remark(act.text, act.value, env); }
  void perform(const StoppedAct&, Env& env) {
    // It would be started again at once: for ever, if it always says so.
    if (!stop_asked_) return fail_here("it says `stopped`, and nobody has asked it to stop", env);
    life_.stop(env);
  }
  void perform(const ErrorAct& act, Env& env) { life_.fail(act.what, env); }

  void fail_here(const std::string& what, Env& env) {
    life_.fail(fmt::format("step {}: {}", steps_, what), env);
  }

  const Program& program_;
  const ElectorSetup setup_;
  design::Life life_;
  std::optional<SharedCore> core_;  // while there are processes
  std::unique_ptr<Child> child_;
  std::unique_ptr<Child> twin_;
  std::map<RequestId, std::int64_t> asked_;  // the program's own numbers
  std::uint64_t steps_ = 0;
  bool stop_asked_ = false;
};

}  // namespace

std::unique_ptr<Elector> make_elector(const Program& program, const ElectorSetup& setup) {
  return std::make_unique<ProcessElector>(program, setup);
}

}  // namespace tenure::process
