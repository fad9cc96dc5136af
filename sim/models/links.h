// The network: how long a message takes, and whether it arrives.
//
// Endpoints are numbered: the nodes, then the stores, then the clients. Each ordered pair is a link. Every draw is
// keyed by (link, purpose, second, ordinal within the second). So events on one link, or a change in one second, do not
// move any other draw.
//
// Faults add rules under their id and remove them again; any number may overlap.
//
// Thread rule: one network belongs to one run.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/true_time.h"
#include "sim/models/quantiles.h"

namespace tenure::sim {

using Endpoint = std::uint32_t;

struct LinkRule {
  std::uint64_t fault = 0;
  std::vector<Endpoint> from;  // sorted
  std::vector<Endpoint> to;    // sorted
  bool block = false;
  Duration delay;                  // added to every message
  std::int64_t loss_ppm = 0;       // on top of the network's own
  std::int64_t duplicate_ppm = 0;  // of being delivered twice
  std::int64_t held_back_ppm = 0;  // of being late by up to held_back: alone, or with everything behind it
  Duration held_back;
  bool met = false;  // something passed by that it changes, or might have

  bool cuts() const;
};

// What faults make of a link.
struct LinkState {
  bool cut = false;
  Duration delay;  // added to each message
  std::int64_t loss_ppm = 0;
  std::int64_t duplicate_ppm = 0;
  Duration held_back;  // by how much later, at most, some messages come
  bool operator==(const LinkState&) const = default;
};

class Links {
 public:
  Links(KeyedRng rng, std::uint32_t endpoints, Quantiles latency, std::int64_t loss_ppm);

  void add_rule(LinkRule rule) { rules_.push_back(std::move(rule)); }
  void remove_rules(std::uint64_t fault);
  bool met(std::uint64_t fault) const;

  // Of something that would pass now.
  bool blocked(Endpoint from, Endpoint to);
  LinkState state(Endpoint from, Endpoint to) const;

  struct Fate {
    bool lost = false;  // blocked, or lost on the way
    Duration latency;
    bool duplicated = false;
    Duration duplicate_latency;
  };
  // For a single message: it may vanish.
  Fate send(Endpoint from, Endpoint to, TrueTime now);
  // For a segment of a connection: a lost segment is sent again, so it only gets later. REQUIRES: !blocked(from, to).
  Duration stream(Endpoint from, Endpoint to, TrueTime now);
  // How much later than its latency a segment can get. Any loss above zero can cause this.
  static constexpr Duration latest_resend() { return kResendAfter * ((std::int64_t{1} << kResendsMax) - 1); }
  // A draw of the link for another decision: true with probability ppm.
  bool chance(Endpoint from, Endpoint to, TrueTime now, std::int64_t ppm);

 private:
  // What TCP waits before it sends a lost segment again: 200 ms, then twice as long each time.
  static constexpr Duration kResendAfter = Duration::millis(200);
  static constexpr int kResendsMax = 6;  // the last one arrives

  struct Link {
    std::int64_t second = -1;
    std::uint64_t ordinal = 0;
  };
  KeyedRng next_noise(Endpoint from, Endpoint to, TrueTime now);
  template <class Use>
  void each_rule(Endpoint from, Endpoint to, Use use);

  KeyedRng rng_;
  std::uint32_t endpoints_;
  Quantiles latency_;
  std::int64_t loss_ppm_;
  std::vector<Link> links_;
  std::vector<LinkRule> rules_;
};

}  // namespace tenure::sim
