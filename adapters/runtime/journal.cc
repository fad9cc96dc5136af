#include "adapters/runtime/journal.h"

#include <utility>

namespace tenure {

void RuntimeJournal::write(journal::Stamp now, Incarnation who, journal::JournalEvent event) {
  if (!sink_) return;
  const bool last = std::holds_alternative<journal::LifeEnded>(event);
  const std::string line = journal::encode({.now = now,
                                            .who = who,
                                            .event = std::move(event),
                                            .seq = ++written_[who],
                                            .prev = prev_,
                                            .version = journal::kVersion});
  sink_(line);
  prev_ = journal::chain_hash(line);
  if (last) written_.erase(who);
}

void RuntimeJournal::asked(journal::Stamp now, RequestId id, const Submission& submission) {
  if (sink_) write(now, id.incarnation, journal::Asked{id, submission});
}

void RuntimeJournal::answered(journal::Stamp now, const StoreReplied& reply, const Answer& answer) {
  if (!sink_) return;
  write(now, reply.id.incarnation,
        journal::Answered{.id = reply.id,
                          .store = reply.store,
                          .part = reply.part,
                          .outcome = answer.outcome,
                          .message = answer.message,
                          .store_time = answer.store_time,
                          .position = answer.position,
                          .changed = answer.changed,
                          .reply = answer.reply});
}

}  // namespace tenure
