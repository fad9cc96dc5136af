// Reports for people what keeps nodes from their store: once when it lasts, and again when it is over.
//
//   1. A trouble belongs to one connection (a node has two) and one kind of request: a lock that blocks commits lets
//      reads through. If several meet the same cause, it is reported for the first, and its end once for all.
//   2. It is reported at the first failure at which it is older than its bound, counted from the submit. The bound is
//      `kBusyBound` for locks, statement timeouts and used-up connections, which are often over in a moment. Everything
//      else is reported at once. Another cause of the same trouble is reported too, each once.
//   3. It is over when a request of its kind is executed. A trouble of the connection itself (unreachable, lost) is
//      over when any request is executed; that a request was not answered in time says nothing of the connection. If
//      its request has not been sent again for `kForgotten`, it is over when its connection works.
//   4. A clock hold is a trouble from the moment it is set or read until it is cleared. If the clock had run ahead and
//      slots were committed by it, they do not fire again when the clock comes to them: the end of the hold says until
//      when that is, as far as this life has committed them.
//
//   5. A node that others have kept from leading for `kStandsBy` names the one that leads, once until it leads itself:
//      for the store that is normal, but another application with the same resource would starve this one.
//
// A line has the time, the level (`error`: it does not work at all; `warning`: it is slow, or fires are held; `info`:
// it is over), the node, the request, the place, the cause and the duration:
//
//   2026-11-22T10:40:01.250Z warning: node 1, commit-fires: db:5432/shop: another transaction held … (for 3.2s)
//   2026-11-22T10:40:09.100Z info: node 1, commit-fires: works again after 11s: db:5432/shop: another …
//
// Thread rule: the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "adapters/store/answer.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/model/input.h"

namespace tenure {

// Takes one line for people, without its end: what keeps a node from its store, or a runtime from listening.
using TroubleSink = std::function<void(std::string_view words)>;

enum class Level : std::uint8_t { info, warning, error };
// "2026-11-22T10:40:01.250Z warning: …", now.
std::string said_now(Level level, std::string_view words);

class StoreHealthReporter {
 public:
  static constexpr Duration kBusyBound = Duration::seconds(3);
  static constexpr Duration kForgotten = Duration::minutes(1);
  static constexpr Duration kStandsBy = Duration::seconds(30);

  explicit StoreHealthReporter(TroubleSink sink) : sink_(std::move(sink)) {}

  // A node's request: which one, on which connection, and when it was submitted.
  struct Asked {
    Incarnation who;
    Part part = Part::elector;
    std::size_t request = 0;  // which of reference::Request
    MonoTime sent_at;
    ResourceId resource = {};
  };
  void answered(const Asked& asked, const Answer& answer, MonoTime now);
  // It has committed this slot, which was due then.
  void covered(Incarnation who, StoreTime due);
  void say(Level level, std::string_view words);
  void forget(Incarnation who);  // that life is over

 private:
  using Key = std::tuple<Incarnation, Part, std::size_t>;
  struct Open {
    StoreError trouble = StoreError::none;
    MonoTime since;
    MonoTime last;
    std::string cause;           // the latest, without the store's own words
    std::string first_said;      // empty: nothing was reported
    std::set<std::string> said;  // causes that were reported, here or for another request
  };
  void failed(const Key& key, const Asked& asked, const Answer& answer, MonoTime now);
  void worked(const Asked& asked, MonoTime now);
  void see_leader(const Asked& asked, const Answer& answer, MonoTime now);
  void see_hold(const Asked& asked, const Answer& answer, MonoTime now);
  // For the end of a hold; empty: nothing is covered ahead.
  std::string covered_ahead(Incarnation who, StoreTime store_now) const;
  bool is_said_of_another(const Key& key, const std::string& cause) const;
  void end(std::map<Key, Open>::iterator which, MonoTime now);

  struct StandsBy {
    MonoTime since;
    bool said = false;
  };

  TroubleSink sink_;  // may be empty
  std::map<Key, Open> open_;
  std::map<Incarnation, MonoTime> held_;  // since when the hold is known
  std::map<Incarnation, StandsBy> standbys_;
  std::map<Incarnation, StoreTime> covered_;  // the last slot
};

}  // namespace tenure
