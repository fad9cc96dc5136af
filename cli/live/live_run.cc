#include "cli/live/live_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "adapters/local_postgres/library_of_ours.h"
#include "cli/live/messages.h"
#include "cli/live/store_place.h"
#include "cli/terminal/signals.h"
#include "core/base/check.h"
#include "core/model/describe.h"
#include "format/print/print.h"
#include "lab/session/output_file.h"
#include "sim/faults/plan.h"
#include "sim/world/world.h"

namespace tenure::cli {
namespace {

constexpr Duration kStopWithin = Duration::seconds(15);
// A command that has ended within this and written nothing cannot run.
constexpr Duration kAtOnce = Duration::seconds(2);
constexpr Duration kLooksEvery = Duration::millis(5);

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string name_of_node(NodeId node) { return describe(node); }  // "n1"

// The last line of a log, for messages.
std::string last_words(const std::string& path) {
  std::string text;
  const process::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  for (ssize_t got = 0; file.open() && (got = read(file.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

// ": its last words", or what else there is to say.
std::string why_it_may_have_ended(const std::string& log) {
  constexpr std::uintmax_t kTight = 64 << 10;  // bytes
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(log).parent_path();
  const auto space = std::filesystem::space(folder, error);
  if (!error && space.available < kTight)
    return fmt::format(": no room is left on the disk of {}", folder.string());
  const std::string words = last_words(log);
  return words.empty() ? "" : ": " + words;
}

}  // namespace

LiveRun::LiveRun(LiveRunOptions options, Processes& processes)
    : options_(std::move(options)),
      scenario_(options_.file->scenario),
      processes_(processes),
      rng_(sim::World(scenario_, options_.seed).rng()),
      plan_(sim::draw_plan(scenario_, rng_)),
      outside_(scenario_.work, rng_) {}

LiveRun::~LiveRun() {
  for (auto& [node, instance] : instances_) {
    if (instance.process != 0) processes_.signal(instance.process, SIGKILL);
    if (instance.steps != nullptr) munmap(instance.steps, sizeof(ClockSteps));
  }
}

sim::TrueTime LiveRun::now() const { return sim::TrueTime{} + (clock_.now().at - began_); }

std::string LiveRun::write_scenario(const std::string& name, const sim::Scenario& scenario) {
  sim::Scenario bare = scenario;  // what is judged and struck is not theirs to know
  bare.faults.clear();
  bare.changes.clear();
  bare.thresholds.clear();
  bare.expect = {};
  const std::string file = path(name);
  const auto written = lab::write_file(file, format::print_scenario(bare));
  if (!written.good) problem_ = fmt::format("cannot write {}: {}", file, lab::system_reason(written.error));
  return file;
}

std::string LiveRun::prepare() {
  const bool needs_store = own_instances() || scenario_.scheduler != nullptr;
  for (std::uint32_t i = 0; needs_store && i < options_.clients; ++i) {
    ConnectionOpened opened = connect_to(options_.store->place_for(std::nullopt))(Duration::seconds(10));
    if (const auto* error = std::get_if<OpenError>(&opened)) return error->message;
    clients_.push_back(std::make_unique<ScheduleClient>(
        scenario_, std::get<std::unique_ptr<StoreBackend>>(std::move(opened)),
        path(fmt::format("clients-{}.jsonl", i + 1)), NodeId{ScheduleClient::kNode.value + i}));
    if (i == 0 && scenario_.scheduler != nullptr)
      if (std::string why = clients_.front()->put_schedules(); !why.empty()) return why;
  }
  const std::string file = own_instances() ? write_scenario("scenario.toml", scenario_) : std::string();
  const bool steps = own_instances() || std::any_of(plan_.begin(), plan_.end(), [](const auto& fault) {
                       return fault.action == "clock-step";
                     });
  for (std::uint32_t i = 0; i < scenario_.instances.size(); ++i) {
    Instance& instance = instances_[NodeId{i}];
    instance.scenario = file;
    if (steps) {
      const std::string clock = path(name_of_node(NodeId{i}) + ".clock");
      const process::Descriptor memory(open(clock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
      if (!memory.open() || ftruncate(memory.get(), sizeof(ClockSteps)) != 0)
        return fmt::format("cannot write {}: {}", clock, std::strerror(errno));
      void* mapped = mmap(nullptr, sizeof(ClockSteps), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
      if (mapped == MAP_FAILED) return fmt::format("cannot map {}: {}", clock, std::strerror(errno));
      instance.steps = new (mapped) ClockSteps;
    }
  }
  return problem_;
}

LiveRunResult LiveRun::run() {
  LiveRunResult result;
  began_ = clock_.now().at;
  result.problem = prepare();
  if (!result.problem.empty()) return result;
  began_ = clock_.now().at;
  result.outside.began = began_;
  conductor_ = std::make_unique<lab::Conductor>(scenario_, plan_, *this, rng_, own_instances());
  conductor_->begin();
  const Interruption interruption;
  const sim::TrueTime end = sim::TrueTime{} + scenario_.duration + scenario_.tail;
  loop(end);
  result.facts.interrupted = Interruption::came();
  conductor_->heal(now());
  result.facts.led_at_end = conductor_->leader(now()).has_value();
  stop_all();
  result.took = now() - sim::TrueTime{};
  result.facts.edits_applied = edits_applied();
  const std::size_t clients = clients_.size();
  clients_.clear();
  result.problem = problem_;
  for (const auto& [node, instance] : instances_)
    for (const auto& journal : instance.journals)
      if (std::filesystem::exists(journal->path())) result.journals.push_back(journal->path());
  for (std::size_t i = 1; i <= clients; ++i)
    result.journals.push_back(path(fmt::format("clients-{}.jsonl", i)));
  result.facts.faults = conductor_->faults();
  result.facts.stale_writes_refused = stale_writes_;
  result.facts.fires_doubled = outside_.doubled();
  result.facts.unasked_ends = conductor_->unasked_ends();
  result.facts.lacking = silent_;
  result.story = conductor_->story();
  result.outside.faults = conductor_->spans();
  result.outside.pauses = conductor_->pauses();
  result.outside.ends = conductor_->ends();
  result.outside.starts = conductor_->starts();
  return result;
}

// ---- the loop ----------------------------------------------------------------------------------------------

void LiveRun::loop(sim::TrueTime until) {
  while (now() < until && problem_.empty() && !Interruption::came()) {
    conductor_->advance(now());
    begin_changes();
    for (const lab::OutsideAnswer& answer : outside_.finished(now()))
      send_message(instances_.at(answer.node).socket.get(), done_message(answer));
    follow();
    see_ends();
    say_progress();
    sim::TrueTime next = std::min(until, now() + kLooksEvery);
    if (const auto due = conductor_->next()) next = std::min(next, *due);
    if (const auto due = outside_.next()) next = std::min(next, *due);
    wait(next);
  }
}

// Until then, or until an instance speaks, which is heard.
void LiveRun::wait(sim::TrueTime until) {
  std::vector<pollfd> fds;
  std::vector<NodeId> nodes;
  for (const auto& [node, instance] : instances_) {
    if (!instance.socket.open()) continue;
    fds.push_back({.fd = instance.socket.get(), .events = POLLIN, .revents = 0});
    nodes.push_back(node);
  }
  const std::int64_t left = std::max<std::int64_t>((until - now()).ns(), 0);
  const timespec timeout{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
  if (ppoll(fds.data(), fds.size(), &timeout, nullptr) <= 0) return;
  for (std::size_t i = 0; i < fds.size(); ++i)
    if (fds[i].revents != 0) hear(nodes[i], instances_.at(nodes[i]));
}

void LiveRun::hear(NodeId node, Instance& instance) {
  while (const auto message = receive_message(instance.socket.get(), true)) {
    if (message->starts_with("event ")) {
      follow();  // so that the conductor knows who leads
      conductor_->reached(now(), std::string_view(*message).substr(6));
      if (!instance.socket.open()) return;  // it was killed
      send_message(instance.socket.get(), "go");
    } else if (message->starts_with("refused ")) {
      ++stale_writes_;
      conductor_->tell(now(), node, "the store refuses " + message->substr(8), sim::StoryKind::store);
    } else if (const auto work = work_in(node, *message)) {
      if (const auto refused = outside_.begin(now(), *work)) {
        if (refused->result == WorkResult::fenced)
          conductor_->tell(now(), node, "the outside world refuses its work: the token is stale",
                           sim::StoryKind::work);
        send_message(instance.socket.get(), done_message(*refused));
      } else {
        conductor_->reached(now(), "executed");
      }
    }
    if (!instance.socket.open()) return;  // likewise
  }
  if (!runs(node)) instance.socket.close();
}

void LiveRun::follow() {
  for (auto& [node, instance] : instances_)
    if (!instance.journals.empty())
      for (const journal::Line& line : instance.journals.back()->more()) {
        if (line.who.node != lab::as_in_journals(node) && problem_.empty())
          problem_ = fmt::format(
              "{} tells of node {}, and is the journal of node {}: COMMAND is to write {{node}}",
              instance.journals.back()->path(), line.who.node.value, lab::as_in_journals(node).value);
        conductor_->saw(now(), node, line);
      }
}

void LiveRun::see_ends() {
  for (const auto& [process, how] : processes_.ended()) {
    for (auto& [node, instance] : instances_) {
      if (instance.process != process) continue;
      follow();
      instance.process = 0;
      instance.socket.close();
      outside_.ended(node);
      const std::string log = path(name_of_node(node) + ".log");
      const bool lived = now() - instance.since >= kAtOnce;
      if (lived && !instance.journals.back()->has_lines())
        silent_.push_back(fmt::format("{} wrote no journal in its life {}: nothing is known of what it did",
                                      name_of_node(node), instance.lives));
      if (!own_instances() && !instance.journals.back()->has_lines() && !lived && !conductor_->healed()) {
        const std::string words = last_words(log);
        problem_ = fmt::format("the command for {} ended at once and wrote no journal ({}){}",
                               name_of_node(node), how, words.empty() ? "" : ": " + words);
      }
      const std::size_t unasked = conductor_->unasked_ends().size();
      conductor_->ended(now(), node, how);
      // Ours run until they are told to stop: what keeps one from it will keep the next.
      if (own_instances() && conductor_->unasked_ends().size() > unasked)
        problem_ =
            fmt::format("{} ended by itself ({}){}", name_of_node(node), how, why_it_may_have_ended(log));
    }
  }
}

std::uint64_t LiveRun::edits_applied() const {
  std::uint64_t sum = 0;
  for (const auto& client : clients_) sum += client->applied();
  return sum;
}

void LiveRun::begin_changes() {
  while (!clients_.empty() && changes_begun_ < scenario_.changes.size() &&
         sim::TrueTime{} + scenario_.changes[changes_begun_].at <= now()) {
    clients_[changes_begun_ % clients_.size()]->begin(scenario_.changes[changes_begun_]);
    ++changes_begun_;
  }
  while (changes_heard_ < edits_applied()) {
    ++changes_heard_;
    conductor_->reached(now(), "changed");
  }
}

void LiveRun::stop_all() {
  conductor_->over();
  for (const auto& [node, instance] : instances_) {
    if (instance.process == 0) continue;
    processes_.signal(instance.process, SIGCONT);
    processes_.signal(instance.process, SIGTERM);
  }
  const sim::TrueTime last = now() + kStopWithin;
  const auto some_run = [&] {
    return std::any_of(instances_.begin(), instances_.end(),
                       [](const auto& each) { return each.second.process != 0; });
  };
  while (some_run() && now() < last) {
    for (const lab::OutsideAnswer& answer : outside_.finished(now()))
      send_message(instances_.at(answer.node).socket.get(), done_message(answer));
    follow();
    see_ends();
    if (some_run()) wait(now() + kLooksEvery);
  }
  for (auto& [node, instance] : instances_)
    if (instance.process != 0) processes_.signal(instance.process, SIGKILL);
  while (some_run()) {
    see_ends();
    wait(now() + kLooksEvery);
  }
}

void LiveRun::say_progress() {
  const std::int64_t second = (now() - sim::TrueTime{}).ns() / 1'000'000'000;
  if (!options_.progress || second == said_at_) return;
  said_at_ = second;
  const auto leader = conductor_->leader(now());
  const std::int64_t whole = (scenario_.duration + scenario_.tail).ns() / 1'000'000'000;
  options_.progress(fmt::format("{}  {}s of {}s  {}", scenario_.name, second, whole,
                                leader ? name_of_node(*leader) + " leads" : "nobody leads"));
}

// ---- the stage ---------------------------------------------------------------------------------------------

std::vector<std::string> LiveRun::command_for(NodeId node, const std::string& journal) const {
  const std::string number = std::to_string(node.value + 1);
  std::vector<std::string> command = options_.command;
  for (std::string& word : command)
    word = replaced(
        replaced(replaced(std::move(word), "{node}", number), "{store}", options_.store->place_for(node)),
        "{journal}", journal);
  if (!command.empty() && instances_.at(node).steps != nullptr)
    command.insert(command.begin(),
                   {"/usr/bin/env",
                    "LD_PRELOAD=" + local_postgres::library_of_ours("libtenure_wall_clock.so", "clock-step"),
                    "TENURE_WALL_CLOCK=" + path(name_of_node(node) + ".clock")});
  if (!command.empty()) return command;
  const sim::ClockSetting& clock = scenario_.instances[node.value].clock;
  const sim::KeyedRng rng = rng_.of("clock").of(node.value);  // as sim/world/world.cc draws it
  const std::int64_t rate = rng.of("rate").between(clock.rate_ppm.low, clock.rate_ppm.high);
  const std::int64_t offset = rng.of("offset").between(clock.offset.low.ns(), clock.offset.high.ns());
  command = {"/proc/self/exe",
             "live-instance",
             instances_.at(node).scenario,
             "--node",
             number,
             "--journal",
             journal,
             "--clock",
             path(name_of_node(node) + ".clock"),
             fmt::format("--rate={}", rate),
             fmt::format("--offset={}", offset)};
  for (const std::string& event : conductor_->awaited()) command.push_back("--awaits=" + event);
  return command;
}

void LiveRun::start(NodeId node) {
  Instance& instance = instances_.at(node);
  const std::string journal = path(fmt::format("{}-{}.jsonl", name_of_node(node), ++instance.lives));
  process::Descriptor theirs;
  if (own_instances()) {
    process::Ends ends = process::socket_pair();
    instance.socket = std::move(ends.ours);
    theirs = std::move(ends.theirs);
    send_message(instance.socket.get(), std::string(kStoreWord) + options_.store->place_for(node));
  }
  // Its clocks begin anew with it.
  if (instance.steps != nullptr) {
    instance.steps->wall_ns = 0;
    instance.steps->mono_ns = 0;
  }
  std::string why;
  const std::vector<std::string> command = command_for(node, journal);
  instance.process = processes_.start(command, path(name_of_node(node) + ".log"), std::move(theirs), why);
  instance.since = now();
  if (instance.process == 0) {
    problem_ = fmt::format("cannot run `{}`: {}", command.front(), why);
    return;
  }
  instance.journals.push_back(std::make_unique<JournalTail>(journal));
}

bool LiveRun::runs(NodeId node) const { return instances_.at(node).process != 0; }

void LiveRun::signal(NodeId node, lab::ProcessSignal what) {
  Instance& instance = instances_.at(node);
  if (instance.process == 0) return;
  switch (what) {
    case lab::ProcessSignal::kill:
      instance.socket.close();  // it does not go on where it waits
      return processes_.signal(instance.process, SIGKILL);
    case lab::ProcessSignal::stop: return processes_.signal(instance.process, SIGTERM);
    case lab::ProcessSignal::freeze: return processes_.freeze(instance.process);
    case lab::ProcessSignal::thaw: return processes_.signal(instance.process, SIGCONT);
  }
}

void LiveRun::set_election(NodeId node, std::uint64_t fault) {
  for (const sim::FaultSetting& setting : plan_) {
    if (setting.id != fault || !setting.with_election) continue;
    sim::Scenario changed = scenario_;
    for (sim::InstanceSetting& each : changed.instances) each.election = *setting.with_election;
    instances_.at(node).scenario = write_scenario(fmt::format("scenario-{}.toml", fault), changed);
  }
}

void LiveRun::step_clock(NodeId node, Duration wall, Duration mono) {
  ClockSteps* steps = instances_.at(node).steps;
  if (steps == nullptr) return;
  // What was read before it stood still was read a little before we knew that it does.
  const Duration safe = mono < Duration{} ? std::min(mono + Duration::millis(50), Duration{}) : mono;
  steps->wall_ns += wall.ns();
  steps->mono_ns += safe.ns();
}

void LiveRun::set_links(NodeId node, const lab::WayRules& rules) { options_.store->set_links(node, rules); }
void LiveRun::break_connections(NodeId node) { options_.store->break_connections(node); }
void LiveRun::stall_replica() { options_.store->stall_replica(); }
void LiveRun::fail_over() { options_.store->fail_over(); }

void LiveRun::hold_lease_row(bool held, bool exclusive) {
  if (!held) return options_.store->let_lease_row_go();
  if (const std::string why = options_.store->hold_lease_row(exclusive); !why.empty())
    conductor_->tell(now(), std::nullopt, "the lock could not be had: " + why, sim::StoryKind::store);
}

}  // namespace tenure::cli
