#include "daemon/service/outbox_watch.h"

#include <algorithm>

namespace tenure::daemon {

void OutboxWatch::tick() {
  if (seconds_++ % kEverySeconds != 0 || looking_.exchange(true)) return;
  const bool taken = pool_.submit([this](PooledStore& store) {
    look(store);
    looking_ = false;
  });
  if (!taken) looking_ = false;
}

void OutboxWatch::look(PooledStore& store) const {
  const Answer answer = store.ask(reference::ReadDepths{resource_});
  const auto* depths = std::get_if<reference::Depths>(&answer.reply);
  if (answer.outcome != RequestOutcome::applied || depths == nullptr) return;
  OutboxReading reading;
  for (const reference::Depth& depth : {depths->work, depths->pull, depths->push}) {
    reading.waiting += depth.events;
    if (depth.events > 0) reading.oldest = std::max(reading.oldest, answer.store_time - depth.oldest);
  }
  reading.dead = depths->dead.events;
  metrics_.set(reading);
}

}  // namespace tenure::daemon
