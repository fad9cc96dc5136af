#include "adapters/process/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/host_failure.h"
#include "core/base/readable_text.h"
#include "core/model/describe.h"
#include "sim/stores/statements/requests.h"

namespace tenure::process {
namespace {

constexpr std::uint64_t kSeeds = std::uint64_t{1} << 53;  // that every language reads exactly
constexpr std::size_t kShown = 300;                       // of a line, in an error

std::string shown(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.size() <= kShown ? std::string(line)
                               : fmt::format("{}… ({} bytes)", line.substr(0, kShown), line.size());
}

// A remark for each line.
void note_aside(std::string_view aside, Env& env) {
  while (!aside.empty()) {
    const std::size_t end = aside.find('\n');
    if (end != 0) design::Life::remark(aside.substr(0, end), 0, env);
    aside = end == std::string_view::npos ? "" : aside.substr(end + 1);
  }
}

// The program's timer is number 0.
TimerId sync_timer(Part part) { return {part, 1}; }

}  // namespace

ProgramHost::ProgramHost(const Program& program, design::HostSetup setup)
    : program_(program),
      setup_(std::move(setup)),
      part_(is_scheduler() ? Part::scheduler : Part::elector),
      life_(setup_.resource, part_) {}

void ProgramHost::step(const Input& input, Env& env) {
  if (is_over()) return;
  std::string line = line_of(input, env);
  if (line.empty() && news_ && child_ != nullptr && !is_over()) line = leadership_line(context(env));
  tell(line, env);
}

void ProgramHost::hear(const Leadership& leadership) {
  news_ = news_ || told_.token != leadership.token || told_.believed_until != leadership.believed_until;
  told_ = leadership;
}

Leadership ProgramHost::leadership(const Clock& clock) const {
  return is_scheduler() ? told_ : life_.leadership(clock);
}

LineContext ProgramHost::context(const Env& env) const {
  return {env.clock, is_scheduler() ? &told_ : nullptr};
}

// ---- what it is told ------------------------------------------------------------------------------------------------

std::string ProgramHost::line_of(const Input& input, Env& env) {
  if (const auto* started = std::get_if<Started>(&input))
    return child_ == nullptr ? start(*started, env) : std::string{};
  if (child_ == nullptr) return {};
  if (const auto* fired = std::get_if<TimerFired>(&input)) return line_of_timer(*fired, env);
  if (const auto* reply = std::get_if<StoreReplied>(&input)) return line_of_reply(*reply, env);
  if (const auto* done = std::get_if<WorkDone>(&input)) return line_of_work(*done, env);
  if (const auto* done = std::get_if<WriteDone>(&input)) return line_of_write(*done, env);
  if (std::holds_alternative<StopAsked>(input)) {
    stop_asked_ = true;
    return stop_line(context(env));
  }
  const auto* message = std::get_if<MessageReceived>(&input);
  return message != nullptr && !is_scheduler() ? message_line(*message, context(env)) : std::string{};
}

std::string ProgramHost::start(const Started& started, Env& env) {
  self_ = started.self;
  cluster_size_ = started.cluster_size;
  core_.emplace();
  child_ = program_.begin_life();
  twin_ = program_.begin_twin();
  SharedCore::take_in(child_->process());
  if (twin_ != nullptr) SharedCore::take_in(twin_->process());
  return start_line({.self = self_,
                     .nodes = cluster_size_,
                     .parameters = &setup_.parameters,
                     .seed = env.random.choose(kSeeds, is_scheduler() ? "scheduler program" : "program"),
                     .disk = env.disk.contents()},
                    context(env));
}

std::string ProgramHost::line_of_timer(const TimerFired& fired, Env& env) {
  if (fired.timer == sync_timer(part_)) {
    const auto due = std::find_if(syncs_.begin(), syncs_.end(),
                                  [now = env.clock.mono()](const Sync& each) { return each.until <= now; });
    if (due == syncs_.end()) return {};
    const Sync sync = *due;
    syncs_.erase(due);
    set_sync_timer(env);
    env.disk.sync(sync.write);
    return synced_line(sync.id, context(env));
  }
  if (fired.timer != life_.timer()) return {};
  if (!life_.spins(env.clock.mono())) return wake_line(context(env));
  fail_here("it wants to be woken at once, again and again, and time stands still", env);
  return {};
}

std::string ProgramHost::line_of_reply(const StoreReplied& reply, Env& env) {
  if (reply.part != part_) return {};
  const auto asked = asked_.find(reply.id);
  if (asked == asked_.end()) return {};
  const std::int64_t id = asked->second;
  asked_.erase(asked);
  // The engine does not run the statement at all: an error in the design, and no answer.
  if (const auto* answer = message_as<statements::Reply>(reply.reply))
    if (const auto* failed = std::get_if<statements::SqlFailed>(answer);
        failed != nullptr && failed->sqlstate.empty()) {
      life_.fail(fmt::format("request {}: {}", id, failed->message), env);
      return {};
    }
  return reply_line(reply, id, context(env));
}

std::string ProgramHost::line_of_work(const WorkDone& done, Env& env) {
  const auto running = running_.find(done.event);
  if (running == running_.end()) return {};
  const std::int64_t id = running->second.front();
  running->second.pop_front();
  if (running->second.empty()) running_.erase(running);
  return ran_line(done.result, id, context(env));
}

std::string ProgramHost::line_of_write(const WriteDone& done, Env& env) {
  const auto writing = writing_.find(done.number);
  if (writing == writing_.end()) return {};
  const std::int64_t id = writing->second;
  writing_.erase(writing);
  return written_line(done.fenced, id, context(env));
}

void ProgramHost::tell(const std::string& line, Env& env) {
  if (line.empty() || is_over()) return;
  news_ = false;
  ++steps_;
  exchange(line, env);
}

void ProgramHost::exchange(const std::string& line, Env& env) {
  const Said said = heard_from(*child_, line, env);
  if (is_over()) return;
  if (twin_ != nullptr) {
    compare(said, heard_from(*twin_, line, env), line, env);
    if (is_over()) return;
  }
  NodeAnswer read;
  const MayAsk may{.role = setup_.role,
                   .nodes = cluster_size_,
                   .schedules = setup_.schedules,
                   .has_tokens = program_.has_tokens(),
                   .writes = program_.writes()};
  if (const std::string problem = read_answer(said.answer, may, read); !problem.empty())
    return fail_here(fmt::format("{}: the answer to {} was {}", problem, shown(line), shown(said.answer)),
                     env);
  if (read.wake)
    env.clock.set_timer(life_.timer(), *read.wake);
  else
    env.clock.cancel_timer(life_.timer());
  for (const Act& act : read.acts) {
    std::visit([&](const auto& each) { perform(each, env); }, act);
    if (is_over()) return;
  }
}

void ProgramHost::compare(const Said& one, const Said& other, const std::string& line, Env& env) {
  if (is_over()) return;
  if (other.aside != one.aside)
    fail_here(
        fmt::format("two processes were told the same since they started, and print otherwise on {}: {} "
                    "and {}",
                    shown(line), shown(one.aside), shown(other.aside)),
        env);
  else if (other.answer != one.answer)
    fail_here(fmt::format("two processes were told the same since they started, and answer {} otherwise: {} "
                          "and {}",
                          shown(line), shown(one.answer), shown(other.answer)),
              env);
}

ProgramHost::Said ProgramHost::heard_from(Child& child, const std::string& line, Env& env) {
  const Child::Result result = child.ask(line, program_.patience());
  if (result == Child::Result::silence)
    throw HostFailure(
        readable_text(fmt::format("{}: step {}: {} has not answered {} for {} ms", describe(self_), steps_,
                                  program_.name(), shown(line), program_.patience().count())));
  std::string how;
  if (result == Child::Result::end) how = child.end(Child::kGraceMs);
  const std::string aside = child.take_said();
  if (&child == child_.get()) note_aside(aside, env);
  if (result == Child::Result::line) return {std::string(child.answer()), aside};
  if (result == Child::Result::end)
    fail_here(fmt::format("the process ended with {}, and did not answer {}{}{}", how, shown(line),
                          aside.empty() ? "" : ": ", aside),
              env);
  else if (result == Child::Result::too_long)
    fail_here(fmt::format("the answer to {} is longer than {} bytes: {}", shown(line), Child::kLongestAnswer,
                          shown(child.answer())),
              env);
  else
    fail_here(fmt::format("the answer to {} is more than a line: {}", shown(line), shown(child.answer())),
              env);
  return {};
}

// ---- what it wants done ---------------------------------------------------------------------------------------------

void ProgramHost::perform(const SendAct& act, Env& env) { env.network.send(act.to, act.message); }

void ProgramHost::perform(const SqlAct& act, Env& env) {
  if (program_.store() == nullptr)
    return fail_here("a statement needs a store: the program described no `schema`", env);
  const std::optional<std::uint8_t> lane = lanes_.find(act.on);
  if (!lane) return fail_here(fmt::format("more than {} named connections", design::Lanes::kMostNames), env);
  Submission submission;
  submission.lane = *lane;
  submission.store = setup_.store;
  submission.part = part_;
  submission.request = statements::Request{statements::Execute{setup_.resource, act.statements}};
  submission.deadline = act.deadline;
  asked_.emplace(env.store.submit(std::move(submission)), act.id);
}

void ProgramHost::perform(const BelieveAct& act, Env& env) { life_.believe(act.until, act.token, env); }

void ProgramHost::perform(const StepDownAct& act, Env& env) { life_.step_down(act.why, env); }

void ProgramHost::perform(const RunAct& act, Env& env) {
  WorkItem item;
  item.resource = setup_.resource;
  item.event = act.event;
  item.once = act.once;
  item.token = act.token ? act.token : leadership(env.clock).token;
  running_[item.event].push_back(act.id);
  env.work.execute(item);
}

void ProgramHost::perform(const WriteAct& act, Env& env) {
  const WriteItem item{setup_.resource, ++writes_, act.token ? act.token : leadership(env.clock).token};
  writing_.emplace(item.number, act.id);
  env.work.write(item);
}

void ProgramHost::perform(const CheckedAct&, Env& env) {
  env.journal.note(LeadershipChecked{setup_.resource});
}

void ProgramHost::perform(const PutAct& act, Env& env) {
  const std::uint64_t write = env.disk.put(act.key, act.value);
  if (write == 0) return fail_here("`put`: the disk is full", env);
  written_ = write;
}

void ProgramHost::perform(const SyncAct& act, Env& env) {
  syncs_.push_back({env.clock.mono() + design::sync_time(env), act.id, written_});
  set_sync_timer(env);
}

void ProgramHost::set_sync_timer(Env& env) const {
  const auto next = std::min_element(syncs_.begin(), syncs_.end(), [](const Sync& one, const Sync& other) {
    return one.until < other.until;
  });
  if (next != syncs_.end()) env.clock.set_timer(sync_timer(part_), next->until);
}

void ProgramHost::perform(const LogAct& act, Env& env) { design::Life::remark(act.text, act.value, env); }

void ProgramHost::perform(const StoppedAct&, Env& env) {
  // It would be started again at once: for ever, if it always says so.
  if (!stop_asked_) return fail_here("it says `stopped`, and nobody has asked it to stop", env);
  life_.stop(env);
}

void ProgramHost::perform(const ErrorAct& act, Env& env) { life_.fail(act.what, env); }

void ProgramHost::fail_here(const std::string& what, Env& env) {
  life_.fail(fmt::format("step {}: {}", steps_, what), env);
}

}  // namespace tenure::process
