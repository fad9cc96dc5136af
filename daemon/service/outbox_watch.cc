#include "daemon/service/outbox_watch.h"

#include <algorithm>

namespace tenure::daemon {
namespace {

constexpr std::uint32_t kPage = 1'000;
constexpr std::size_t kMostCounted = 10'000;

}  // namespace

void OutboxWatch::tick() {
  if (seconds_++ % kEverySeconds != 0 || looking_.exchange(true)) return;
  const bool taken = pool_.submit([this](PooledStore& store) {
    look(store);
    looking_ = false;
  });
  if (!taken) looking_ = false;
}

void OutboxWatch::look(PooledStore& store) const {
  OutboxReading reading;
  for (std::uint64_t after = 0;;) {
    const Answer answer = store.ask(reference::ReadOutbox{resource_, kPage, after});
    const auto* page = std::get_if<reference::Outbox>(&answer.reply);
    if (answer.outcome != RequestOutcome::applied || page == nullptr) return;
    // A manual run's slot may be long past.
    for (const reference::OutboxEvent& event : page->events)
      if (event.id.run == 0) reading.oldest = std::max(reading.oldest, answer.store_time - event.id.slot);
    reading.waiting += page->events.size();
    if (!page->more || reading.waiting >= kMostCounted) break;
    after = page->events.back().seq;
  }
  const Answer answer = store.ask(reference::ReadDead{resource_, kPage, 0});
  const auto* dead = std::get_if<reference::Dead>(&answer.reply);
  if (answer.outcome != RequestOutcome::applied || dead == nullptr) return;
  reading.dead = dead->events.size();
  metrics_.set(reading);
}

}  // namespace tenure::daemon
