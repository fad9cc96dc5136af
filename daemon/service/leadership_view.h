// What this process knows of who leads, of holds and of its store: from its own notes, and from what the store answers.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/runtime/machine_clock.h"
#include "core/model/env.h"
#include "core/model/parameters.h"
#include "daemon/service/observer.h"

namespace tenure::daemon {

// What was last known of the holder of the lease.
struct HolderSeen {
  Incarnation holder;  // number 0: nobody
  std::uint64_t epoch = 0;
  MonoTime expires_at;  // by our clock, at the latest
};

struct LeadershipState {
  bool leads = false;
  std::optional<Token> token;  // while it leads
  Duration belief_left;        // likewise; never negative
  HolderSeen holder;
  std::optional<reference::Hold> hold;
  // The latest request of the scheduler was executed, not long ago, and so was its latest one for the lease: a disk that
  // is full can still be read.
  bool store_answers = false;
  std::string trouble;  // why not, in words
};

inline constexpr Duration kUsualSilence = Duration::seconds(30);
// A scheduler with these parameters asks its store at least each poll_period, whether it leads or not, and gets an answer
// within its request_timeout. So it is silent no longer than this, and what is usual besides.
Duration longest_silence(const Parameters& scheduling);

class LeadershipView final : public StoreObserver {
 public:
  // `silence`: after so long without an answer the store counts as silent.
  explicit LeadershipView(const MachineClock& clock, Duration silence = kUsualSilence)
      : clock_(clock), silence_(silence) {}

  // A life has begun.
  void begin(Incarnation self);
  void note(const Note& note);
  void answered(const reference::Request& asked, const Answer& answer, Duration took) override;

  // Its number is 0 until it has asked for the lease.
  Incarnation self() const;
  LeadershipState state() const;

 private:
  const MachineClock& clock_;
  const Duration silence_;
  mutable std::mutex mutex_;
  Incarnation self_;
  MonoTime believed_until_ = MonoTime::min();
  std::optional<Token> token_;
  HolderSeen holder_;
  std::optional<reference::Hold> hold_;
  MonoTime executed_at_ = MonoTime::min();
  bool last_worked_ = false;
  bool lease_works_ = true;
  std::string trouble_ = "the store has not been reached yet";
};

}  // namespace tenure::daemon
