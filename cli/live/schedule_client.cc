#include "cli/live/schedule_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "adapters/runtime/election.h"
#include "adapters/runtime/journaling_store.h"
#include "core/model/describe.h"

namespace tenure::cli {
namespace {

constexpr ResourceId kResource{0};
constexpr Duration kTimeout = Duration::seconds(3);
constexpr int kAttempts = 100;

// People read them: from 1.
ScheduleId real(ScheduleId of_scenario) { return ScheduleId{of_scenario.value + 1}; }

std::optional<std::uint32_t> version_in(const reference::Reply& reply) {
  if (const auto* edited = std::get_if<reference::Edited>(&reply)) return edited->version;
  if (const auto* refused = std::get_if<reference::EditRefused>(&reply)) return refused->version;
  return std::nullopt;
}

}  // namespace

ScheduleClient::ScheduleClient(const sim::Scenario& scenario, std::unique_ptr<StoreBackend> store,
                               const std::string& journal, NodeId node)
    : scenario_(scenario),
      store_(std::move(store)),
      files_({.path = journal}),
      journal_(files_.sink()),
      who_{node, node.value - kNode.value + 1} {
  std::size_t count = scenario.schedules.size();
  for (const sim::ChangeSetting& change : scenario.changes)
    count = std::max<std::size_t>(count, change.schedule.value + 1);
  known_.resize(count);
  for (std::size_t i = 0; i < scenario.schedules.size(); ++i)
    known_[i].definition = scenario.schedules[i].definition;
  std::map<std::string, std::int64_t> settings;
  if (scenario.scheduler != nullptr) note_settings("scheduling", scenario.scheduling, settings);
  journal_.write(clock_.now(), who_, journal::LifeBegan{boot_id(), std::move(settings)});
  journal_.write(clock_.now(), who_, journal::StoreFound{store_->identity()});
  thread_ = std::thread([this] { serve(); });
}

ScheduleClient::~ScheduleClient() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  some_.notify_one();
  thread_.join();
  journal_.write(clock_.now(), who_, StopAsked{});
  journal_.write(clock_.now(), who_, Note{Stopped{}});
  journal_.write(clock_.now(), who_, journal::LifeEnded{true});
}

Answer ScheduleClient::execute(const reference::Request& request) {
  const MonoTime asked = clock_.mono();
  Answer answer = store_->execute(request, kTimeout);
  if (auto change = client_change(request, answer, asked))
    journal_.write(clock_.now(), who_, *std::move(change));
  return answer;
}

std::string ScheduleClient::put_schedules() {
  for (std::uint32_t i = 0; i < scenario_.schedules.size(); ++i) {
    const sim::ScheduleSetting& schedule = scenario_.schedules[i];
    const Answer answer =
        execute(reference::PutSchedule{kResource, real(ScheduleId{i}), 0, schedule.definition});
    const auto* edited = std::get_if<reference::Edited>(&answer.reply);
    if (answer.outcome != RequestOutcome::applied || edited == nullptr)
      return fmt::format("cannot put schedule `{}` into {}: {}", schedule.name, store_->place(),
                         answer.outcome == RequestOutcome::applied ? "it is there already" : answer.message);
    known_[i].version = edited->version;
  }
  return {};
}

void ScheduleClient::begin(const sim::ChangeSetting& change) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&change);
  }
  some_.notify_one();
}

void ScheduleClient::serve() {
  while (true) {
    std::unique_lock lock(mutex_);
    some_.wait(lock, [this] { return over_ || !waiting_.empty(); });
    if (over_) return;
    const sim::ChangeSetting* change = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    carry_out(*change);
  }
}

// As sim/runner/clients.h: what is not known to be applied is asked for again.
void ScheduleClient::carry_out(const sim::ChangeSetting& change) {
  Known& known = known_[change.schedule.value];
  const ScheduleId id = real(change.schedule);
  const StoreTime asked_at = StoreTime::from_ns(clock_.wall().ns() / 1'000 * 1'000);
  Definition definition = known.definition;
  if (change.action == sim::ChangeAction::create || change.action == sim::ChangeAction::update)
    definition = change.definition;
  if (change.action == sim::ChangeAction::pause) definition.paused = true;
  if (change.action == sim::ChangeAction::resume) definition.paused = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    reference::Request request = reference::PutSchedule{kResource, id, known.version, definition};
    if (change.action == sim::ChangeAction::remove)
      request = reference::DeleteSchedule{kResource, id, known.version};
    if (change.action == sim::ChangeAction::trigger)
      request = reference::TriggerSchedule{kResource, id, change.id, asked_at};
    const Answer answer = execute(request);
    if (answer.outcome == RequestOutcome::applied) {
      const auto version = version_in(answer.reply);
      const bool refused = std::holds_alternative<reference::EditRefused>(answer.reply);
      const bool other_was_sooner = refused && version && *version != known.version;
      if (version) known.version = *version;
      if (other_was_sooner) continue;
      known.definition = definition;
      if (!refused) ++applied_;
      return;
    }
    std::unique_lock lock(mutex_);
    if (some_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) return;
  }
}

}  // namespace tenure::cli
