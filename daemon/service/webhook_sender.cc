#include "daemon/service/webhook_sender.h"

#include <fmt/format.h>

#include <utility>

#include "adapters/store/public_names.h"
#include "core/base/readable_text.h"
#include "core/model/describe.h"

namespace tenure::daemon {
namespace {

constexpr std::size_t kMostWaiting = 10'000;
constexpr std::size_t kReadAtOnce = 100;  // of 64 KB each at most
// From the call of send(). What waits for longer is not read any more: its leader may be one no longer.
constexpr Duration kReadWithin = Duration::seconds(10);
constexpr Duration kUnsentWait =
    Duration::seconds(5);  // before an event is tried again that could not be sent

Logger::Fields fields_of(const WorkItem& item, const std::string& schedule, std::string_view why) {
  Logger::Fields fields = {{"destination", item.destination}};
  if (!schedule.empty()) fields.emplace_back("schedule", schedule);
  fields.emplace_back("uid", fmt::format("{}", item.event.schedule.value));
  fields.emplace_back("attempt", fmt::format("{}", item.attempt));
  fields.emplace_back("why", why);
  return fields;
}

std::string asking_for(Duration wait) {
  return fmt::format(", and asks for no other attempt within {}", describe(wait));
}

// What a dead event is kept with: the reason, and below it what the destination said.
std::string words_of(std::string_view why, std::string_view response) {
  if (response.empty()) return std::string(why);
  return fmt::format("{}{}{}", why, kSaid, readable_text(response));
}

}  // namespace

WebhookSender::WebhookSender(Connect connect, const MachineClock& clock, const Logger& log,
                             std::vector<webhook::WebhookDestination> destinations)
    : clock_(clock),
      log_(log),
      client_(std::move(destinations)),
      reader_({.connect = std::move(connect), .threads = 1, .waiting = 1}, clock) {}

void WebhookSender::send(const WorkItem& item, WorkDoneCallback done) {
  bool taken = false;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    taken = unread_.size() < kMostWaiting;
    if (taken) unread_.push_back({item, done, clock_.mono()});
    wakes = taken && !std::exchange(is_reading_, true);
  }
  if (!taken) return not_sent({item, std::move(done)}, "too many events wait to be read");
  if (wakes) read_soon();
}

void WebhookSender::set_destinations(std::vector<webhook::WebhookDestination> destinations) {
  client_.set_destinations(std::move(destinations));
}

void WebhookSender::read_soon() {
  if (reader_.submit([this](PooledStore& store) { read_some(store); })) return;
  std::deque<Unread> unread;
  {
    const std::lock_guard lock(mutex_);
    unread.swap(unread_);
    is_reading_ = false;
  }
  for (const Unread& each : unread) not_sent(each, "the program is ending");
}

// Each job has a time of its own, so the next ones are left to another job.
void WebhookSender::read_some(PooledStore& store) {
  const MonoTime now = clock_.mono();
  std::vector<Unread> some, late;
  {
    const std::lock_guard lock(mutex_);
    while (!unread_.empty() && some.size() < kReadAtOnce &&
           (some.empty() || unread_.front().item.resource == some.front().item.resource)) {
      const bool is_late = now - unread_.front().since >= kReadWithin;
      (is_late ? late : some).push_back(std::move(unread_.front()));
      unread_.pop_front();
    }
  }
  for (const Unread& each : late) not_sent(each, "its payload could not be read in time");
  if (!some.empty()) read(store, some);
  {
    const std::lock_guard lock(mutex_);
    is_reading_ = !unread_.empty();
    if (!is_reading_) return;
  }
  read_soon();
}

void WebhookSender::read(PooledStore& store, const std::vector<Unread>& some) {
  reference::ReadPayloads asked{some.front().item.resource, {}};
  for (const Unread& each : some) asked.events.push_back(each.item.event);
  const Answer answer = store.ask(asked);
  const auto* payloads = std::get_if<reference::Payloads>(&answer.reply);
  const bool read = answer.outcome == RequestOutcome::applied && payloads != nullptr;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (read)
      deliver(store, some[i], payloads->events.at(i));
    else
      not_sent(some[i], "its payload cannot be read");
  }
}

void WebhookSender::deliver(const PooledStore& store, Unread unread, const reference::EventPayload& event) {
  const WorkItem& item = unread.item;
  unread.schedule = event.name;
  if (!event.found) return unread.done(WorkResult::duplicate);  // it was acknowledged already
  const auto id = event_uuid(store.identity(), item.resource, item.event);
  if (!id) return not_sent(unread, "the store has no identity");
  client_.deliver({.destination = item.destination,
                   .event_id = *id,
                   .source = "/tenure",
                   .type = event.payload.type,
                   .schedule = event.name,
                   .slot = item.event.slot,
                   .data = event.payload.data,
                   .sequence = item.sequence,
                   .attempt = item.attempt,
                   .token = item.token},
                  [this, unread](const webhook::WebhookResult& result) {
                    if (result.kind == webhook::WebhookResult::Kind::delivered)
                      return unread.done(WorkResult::done);
                    if (result.kind == webhook::WebhookResult::Kind::not_sent)
                      return not_sent(unread, result.reason);
                    const Duration asked = result.retry_after.value_or(Duration{});
                    const bool wants_no_more = result.kind == webhook::WebhookResult::Kind::gone;
                    refuse(unread,
                           result.reason + (wants_no_more ? ": it wants no more events" : "") +
                               (result.retry_after ? asking_for(asked) : ""),
                           asked, result.response);
                  });
}

void WebhookSender::refuse(const Unread& unread, std::string_view why, Duration asked,
                           std::string_view response) const {
  log_.say(Level::warning, "an event was not delivered", fields_of(unread.item, unread.schedule, why));
  unread.done({WorkResult::failed, asked, words_of(why, response)});
}

// The destination has refused nothing: this is no attempt. Only the event's age bounds how often this comes, so it waits
// longer than a schedule's own pace may be.
void WebhookSender::not_sent(const Unread& unread, std::string_view why) const {
  log_.say(Level::warning, "an event was not sent", fields_of(unread.item, unread.schedule, why));
  WorkOutcome outcome{WorkResult::failed, kUnsentWait, std::string(why)};
  outcome.unsent = true;
  unread.done(outcome);
}

}  // namespace tenure::daemon
