// The journal of a process: what its nodes did, as lines of text (core/journal/line.h has the format).
//
// `tenure audit` lays the journals of several processes side by side and applies the simulator's checkers to them. Give
// each life of a process its own file; then a crash cuts off only the end of a file. The lines of one RuntimeJournal
// are a chain: each has the hash of the one before it. A sink that continues in another file keeps the chain.
//
// Thread rule: only the runtime's loop thread calls a sink.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "adapters/store/answer.h"
#include "core/journal/line.h"

namespace tenure {

// Takes one line, without its end. It must not block for long: belief runs out meanwhile.
using JournalSink = std::function<void(std::string_view line)>;

class RuntimeJournal {
 public:
  explicit RuntimeJournal(JournalSink sink) : sink_(std::move(sink)) {}

  void write(journal::Stamp now, Incarnation who, journal::JournalEvent event);
  void asked(journal::Stamp now, RequestId id, const Submission& submission);
  void answered(journal::Stamp now, const StoreReplied& reply, const Answer& answer);

 private:
  JournalSink sink_;                              // may be empty
  std::map<Incarnation, std::uint64_t> written_;  // lines of each life
  std::string prev_{journal::kFirstPrev};         // the hash of the last line of all
};

}  // namespace tenure
