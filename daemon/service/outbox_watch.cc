#include "daemon/service/outbox_watch.h"

#include <algorithm>

namespace tenure::daemon {

void OutboxWatch::tick() {
  if (seconds_ % kEverySeconds == 0 && !looking_.exchange(true)) {
    const bool ahead = seconds_ % kAheadEverySeconds == 0;
    const bool taken = pool_.submit([this, ahead](PooledStore& store) {
      look(store, ahead);
      looking_ = false;
    });
    if (!taken) looking_ = false;
  }
  ++seconds_;
}

OutboxReading OutboxWatch::reading() const {
  const std::lock_guard lock(mutex_);
  return reading_;
}

void OutboxWatch::look(PooledStore& store, bool ahead) {
  const Answer answer = store.ask(reference::ReadDepths{resource_, ahead});
  const auto* depths = std::get_if<reference::Depths>(&answer.reply);
  if (answer.outcome != RequestOutcome::applied || depths == nullptr) return;
  OutboxReading reading;
  for (const reference::Depth& depth : {depths->work, depths->pull, depths->push}) {
    reading.waiting += depth.events;
    if (depth.events > 0) reading.oldest = std::max(reading.oldest, answer.store_time - depth.oldest);
  }
  reading.dead = depths->dead.events;
  const std::lock_guard lock(mutex_);
  reading.ahead = ahead ? depths->ahead : reading_.ahead;
  reading.ahead_until = ahead ? depths->ahead_until : reading_.ahead_until;
  reading_ = reading;
  metrics_.set(reading);
}

}  // namespace tenure::daemon
