#include "sim/world/workers.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "sim/world/chance.h"

namespace tenure::sim {
namespace {

// What waited while a worker was paused comes in any order, within so long after it goes on.
constexpr Duration kCatchesUp = Duration::millis(1);

// Of so many a million the work goes on while it is given back.
constexpr std::uint32_t kGoesOnPpm = 500'000;

}  // namespace

Workers::Workers(Timeline& timeline, History& history, SimNetwork& network, KeyedRng rng,
                 const std::vector<WorkerSetting>& settings)
    : timeline_(timeline),
      history_(history),
      network_(network),
      rng_(rng.of("workers")),
      handler_(timeline.add_handler(*this)) {
  for (WorkerProcess& each : worker_processes(settings)) {
    const auto index = static_cast<std::uint32_t>(processes_.size());
    processes_.push_back({.is = std::move(each), .index = index, .paused_by = {}, .down_by = {}});
  }
}

std::int64_t Workers::Process::working() const {
  return std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job.second.working; });
}

bool Workers::Process::claims() const {
  return std::any_of(questions.begin(), questions.end(),
                     [](const auto& question) { return question.second.what == Asks::claim; });
}

void Workers::begin() {
  for (Process& process : processes_) {
    process.polls = true;
    const std::int64_t latest = process.is.setting->poll.ns();
    set(process, Duration::nanos(rng_.of("start").of(process.index).between(0, latest)), kPoll, process.life);
  }
}

void Workers::set(Process& process, Duration after, Kind kind, std::uint64_t payload) {
  timeline_.at(timeline_.now() + after, {handler_, kind, process.index, payload});
}

KeyedRng Workers::noise_of(const reference::ExecutionToken& token) const {
  return rng_.of(token.event.schedule.value)
      .of(static_cast<std::uint64_t>(token.event.slot.ns()))
      .of(token.event.run)
      .of(token.attempt);
}

// ---- events ------------------------------------------------------------------------------------------------

void Workers::on_event(const Event& event) {
  Process& process = processes_[event.subject];
  if (process.is_down()) return;
  if (process.is_paused())
    process.held.push_back(event);
  else
    take(process, event);
}

// Timers are of a life; jobs and requests of another life are not known any more.
void Workers::take(Process& process, const Event& event) {
  const auto counter = static_cast<std::uint32_t>(event.payload);
  switch (static_cast<Kind>(event.kind)) {
    case kPoll:
      if (event.payload != process.life) return;
      process.polls = false;
      return poll(process);
    case kHeartbeat:
      if (event.payload == process.life) beat(process);
      return;
    case kWorkEnds: {
      const auto job = process.jobs.find(event.payload);
      if (job == process.jobs.end() || !job->second.working) return;
      const bool fails = happens(noise_of(job->second.token).of("fails"), process.is.setting->failing_ppm);
      if (fails && job->second.given_back) return stop_job(process, job->second, Ending::failed);
      job->second.given_back = false;
      return end_job(process, event.payload, fails, fails ? "it went wrong" : "",
                     fails ? Ending::failed : Ending::done);
    }
    case kAskAgain:
      if (process.jobs.contains(event.payload)) say_end(process, event.payload);
      return;
    case kTimeout: return time_out(process, counter);
    case kReply:
      if (auto question = process.questions.extract(counter)) hear(process, question.mapped());
      return leave_if_done(process);
    case kGraceOver:
      if (event.payload != process.life || !process.is_stopping()) return;
      stop_work(process);
      give_back(process);
      return leave_if_done(process);
    case kGiveBackAgain:
      if (event.payload == process.life) give_back(process);
      return;
  }
}

void Workers::time_out(Process& process, std::uint32_t counter) {
  auto question = process.questions.extract(counter);
  if (!question) return;  // it has its answer
  connection_of(process, question.mapped().what) = process.opened++;
  question.mapped().reply.outcome = RequestOutcome::unknown;
  hear(process, question.mapped());
  leave_if_done(process);
}

void Workers::reply_arrived(Incarnation who, const StoreReplied& reply) {
  Process& process = processes_[who.node.value - kFirstWorkerNode.value];
  const auto question = process.questions.find(reply.id.counter);
  if (who != process.who() || question == process.questions.end()) return;
  question->second.reply = reply;
  set(process, {}, kReply, reply.id.counter);
}

// ---- requests ----------------------------------------------------------------------------------------------

std::optional<std::uint32_t>& Workers::connection_of(Process& process, Asks what) {
  return process.connections[static_cast<std::size_t>(what)];
}

void Workers::ask(Process& process, Question question, reference::Request request) {
  const std::uint32_t counter = ++process.asked;
  std::optional<std::uint32_t>& connection = connection_of(process, question.what);
  if (!connection) connection = process.opened++;
  process.questions.emplace(counter, std::move(question));
  network_.request({.from = network_.worker_endpoint(process.index),
                    .who = process.who(),
                    .store = {},
                    .part = Part::scheduler,
                    .connection = *connection,
                    .id = {process.who(), counter},
                    .sent_at = {},
                    .request = std::move(request)});
  set(process, process.is.setting->timeout, kTimeout, counter);
}

void Workers::poll(Process& process) {
  if (process.is_stopping()) return;
  const WorkerSetting& setting = *process.is.setting;
  const auto free = static_cast<std::uint32_t>(setting.concurrent - process.working());
  if (free == 0) return;
  process.polls = true;
  const std::uint64_t nonce = rng_.of("nonce").of(process.index).of(process.life).of(process.asked).bits();
  ask(process, {.what = Asks::claim, .max = free},
      reference::ClaimExecutions{.resource = ResourceId{},
                                 .topic = setting.topic,
                                 .max = free,
                                 .duration = setting.claim,
                                 .worker = process.is.name,
                                 .nonce = nonce});
}

void Workers::poll_if_free(Process& process) {
  if (!process.polls) poll(process);
}

void Workers::beat(Process& process) {
  process.beats = false;
  std::vector<reference::ExecutionToken> tokens;
  for (const auto& [serial, job] : process.jobs)
    if (job.working && !job.given_back) tokens.push_back(job.token);
  if (tokens.empty()) return;
  process.beats = true;
  set(process, process.is.setting->heartbeat, kHeartbeat, process.life);
  // Now and then it leaves out for how long, as workers may.
  const bool says_length =
      rng_.of("says-length").of(process.index).of(process.life).of(process.asked).bits() % 2 == 0;
  const Duration length = says_length ? process.is.setting->claim : Duration{};
  ask(process, {.what = Asks::extend, .asked = tokens},
      reference::ExtendExecutions{ResourceId{}, length, tokens});
}

void Workers::say_end(Process& process, std::uint64_t serial) {
  const Job& job = process.jobs.at(serial);
  ask(process, {.what = Asks::end, .job = serial},
      reference::EndExecutions{ResourceId{}, {{job.token, job.failed, job.why}}});
}

// All that it has not done, in one request, also what it has said before and has no answer to.
void Workers::give_back(Process& process) {
  std::vector<reference::ExecutionToken> tokens;
  for (const auto& [serial, job] : process.jobs)
    if (job.given_back) tokens.push_back(job.token);
  if (tokens.empty()) return;
  ask(process, {.what = Asks::release, .asked = tokens}, reference::ReleaseExecutions{ResourceId{}, tokens});
}

void Workers::hear(Process& process, const Question& question) {
  const WorkerSetting& setting = *process.is.setting;
  const bool applied = question.reply.outcome == RequestOutcome::applied;
  const auto* reply = applied ? std::get_if<reference::Reply>(&question.reply.reply) : nullptr;
  if (question.what == Asks::claim) {
    const auto* claimed = reply != nullptr ? std::get_if<reference::ClaimedExecutions>(reply) : nullptr;
    const std::size_t given = claimed != nullptr ? claimed->executions.size() : 0;
    for (std::size_t i = 0; i < given; ++i) begin_job(process, claimed->executions[i].token);
    if (process.is_stopping()) return give_back(process);
    process.polls = given < question.max;
    if (process.polls) return set(process, setting.poll, kPoll, process.life);
    return poll_if_free(process);
  }
  const auto* states = reply != nullptr ? std::get_if<reference::ExecutionStates>(reply) : nullptr;
  if (question.what == Asks::release) return hear_given_back(process, question, states != nullptr);
  if (question.what == Asks::end) {
    // Whatever it is, it is an answer.
    if (states != nullptr)
      process.jobs.erase(question.job);
    else
      set(process, setting.poll, kAskAgain, question.job);
  } else if (states != nullptr) {
    hear_states(process, question, *states);
  }
}

void Workers::hear_states(Process& process, const Question& question,
                          const reference::ExecutionStates& states) {
  CHECK(states.executions.size() == question.asked.size(), "the store answers for each");
  for (std::size_t i = 0; i < question.asked.size(); ++i) {
    const auto job = std::find_if(process.jobs.begin(), process.jobs.end(), [&](const auto& each) {
      return each.second.token == question.asked[i] && each.second.working && !each.second.given_back;
    });
    if (job == process.jobs.end()) continue;  // it has ended meanwhile, or is given back
    const reference::Standing standing = states.executions[i].standing;
    if (standing == reference::Standing::claimed) continue;
    if (standing == reference::Standing::cancelled)
      end_job(process, job->first, true, "it was cancelled", Ending::stopped);
    else
      drop(process, job->first);
  }
}

// Whatever the answer is, none of them is this worker's any more. What was done meanwhile is still to be said.
void Workers::hear_given_back(Process& process, const Question& question, bool answered) {
  if (!answered) return set(process, process.is.setting->poll, kGiveBackAgain, process.life);
  for (const reference::ExecutionToken& token : question.asked) {
    const auto found = std::find_if(process.jobs.begin(), process.jobs.end(), [&](const auto& job) {
      return job.second.token == token && job.second.given_back;
    });
    if (found == process.jobs.end()) continue;
    if (found->second.working) stop_job(process, found->second, Ending::stopped);
    process.jobs.erase(found);
  }
}

// ---- work --------------------------------------------------------------------------------------------------

// What comes to a worker that stops is not begun.
void Workers::begin_job(Process& process, const reference::ExecutionToken& token) {
  const WorkerSetting& setting = *process.is.setting;
  if (process.is_stopping()) {
    process.jobs.emplace(++jobs_, Job{.token = token,
                                      .working = false,
                                      .given_back = true,
                                      .why = {},
                                      .ends = {},
                                      .left = {},
                                      .end = {}});
    return;
  }
  history_.emit(WorkerExecution{process.who(), token, std::nullopt});
  const std::uint64_t serial = ++jobs_;
  Job job{.token = token, .why = {}, .ends = {}, .left = {}, .end = {}};
  job.ends = timeline_.now() + setting.duration.draw(noise_of(token).of("duration"));
  job.end = timeline_.at(job.ends, {handler_, kWorkEnds, process.index, serial});
  process.jobs.emplace(serial, std::move(job));
  if (process.beats || setting.heartbeat == Duration{}) return;
  process.beats = true;
  set(process, setting.heartbeat, kHeartbeat, process.life);
}

void Workers::end_job(Process& process, std::uint64_t serial, bool failed, std::string why, Ending ending) {
  Job& job = process.jobs.at(serial);
  timeline_.cancel(job.end);
  job.working = false;
  job.failed = failed;
  job.why = std::move(why);
  history_.emit(WorkerExecution{process.who(), job.token, ending});
  say_end(process, serial);
  poll_if_free(process);
}

void Workers::drop(Process& process, std::uint64_t serial) {
  stop_job(process, process.jobs.at(serial), Ending::stopped);
  process.jobs.erase(serial);
  poll_if_free(process);
}

void Workers::stop_job(Process& process, Job& job, Ending ending) {
  timeline_.cancel(job.end);
  job.working = false;
  history_.emit(WorkerExecution{process.who(), job.token, ending});
}

void Workers::stop_work(Process& process) {
  for (auto& [serial, job] : process.jobs) {
    if (!job.working || job.given_back) continue;
    job.given_back = true;
    if (!happens(noise_of(job.token).of("goes on"), kGoesOnPpm)) stop_job(process, job, Ending::stopped);
  }
}

void Workers::leave_if_done(Process& process) {
  if (!process.is_stopping() || !process.jobs.empty() || process.claims()) return;
  go_down(process);
}

// ---- knobs -------------------------------------------------------------------------------------------------

// What had stopped it keeps it down.
void Workers::go_down(Process& process) {
  process.down_by.insert(process.down_by.end(), process.stopped_by.begin(), process.stopped_by.end());
  process.stopped_by.clear();
  for (auto& [serial, job] : process.jobs) {
    if (!job.working) continue;
    timeline_.cancel(job.end);
    history_.emit(WorkerExecution{process.who(), job.token, Ending::died});
  }
  process.jobs.clear();
  process.questions.clear();
  process.held.clear();
  process.paused_by.clear();
  process.polls = process.beats = false;
}

void Workers::pause(std::uint64_t cause, std::string_view name) {
  for (Process& process : processes_) {
    if (!process.is.is_meant_by(name) || process.is_down()) continue;
    if (!process.is_paused())
      for (auto& [serial, job] : process.jobs) {
        if (!job.working) continue;
        timeline_.cancel(job.end);
        job.left = job.ends - timeline_.now();
      }
    process.paused_by.push_back(cause);
  }
}

void Workers::resume(std::uint64_t cause) {
  for (Process& process : processes_) {
    if (std::erase(process.paused_by, cause) == 0 || process.is_paused()) continue;
    for (auto& [serial, job] : process.jobs) {
      if (!job.working) continue;
      job.ends = timeline_.now() + job.left;
      job.end = timeline_.at(job.ends, {handler_, kWorkEnds, process.index, serial});
    }
    const KeyedRng rng = rng_.of("resume").of(process.index).of(cause);
    std::uint64_t ordinal = 0;
    for (const Event& event : std::exchange(process.held, {}))
      timeline_.at(timeline_.now() + Duration::nanos(rng.of(ordinal++).between(0, kCatchesUp.ns())), event);
  }
}

void Workers::crash(std::uint64_t cause, std::string_view name) {
  for (Process& process : processes_) {
    if (!process.is.is_meant_by(name)) continue;
    process.down_by.push_back(cause);
    go_down(process);
  }
}

void Workers::stop(std::uint64_t cause, std::string_view name, Duration grace) {
  for (Process& process : processes_) {
    if (!process.is.is_meant_by(name)) continue;
    if (process.is_down()) {
      process.down_by.push_back(cause);
      continue;
    }
    process.stopped_by.push_back(cause);
    set(process, grace, kGraceOver, process.life);
    if (!process.is_paused()) leave_if_done(process);
  }
}

void Workers::restart(std::uint64_t cause) {
  for (Process& process : processes_) {
    const auto stops = std::find(process.stopped_by.begin(), process.stopped_by.end(), cause);
    if (stops != process.stopped_by.end()) go_down(process);  // it was to be gone by now
    if (std::erase(process.down_by, cause) == 0 || process.is_down()) continue;
    ++process.life;
    poll(process);
  }
}

std::vector<Endpoint> Workers::endpoints_of(std::string_view name) const {
  std::vector<Endpoint> endpoints;
  for (const Process& process : processes_)
    if (process.is.is_meant_by(name)) endpoints.push_back(network_.worker_endpoint(process.index));
  return endpoints;
}

}  // namespace tenure::sim
