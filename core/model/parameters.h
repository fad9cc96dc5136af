// The parameters of a protocol or a scheduler: one table validates, documents and prints them.
//
// Thread rule: values; tables are immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace tenure {

// In nanoseconds, for the bounds and defaults of durations.
namespace nanos {
inline constexpr std::int64_t kMillisecond = Duration::millis(1).ns();
inline constexpr std::int64_t kSecond = Duration::seconds(1).ns();
inline constexpr std::int64_t kHour = Duration::hours(1).ns();
inline constexpr std::int64_t kYear = Duration::hours(24 * 365).ns();
}  // namespace nanos

struct ParameterSpec {
  enum class Type : std::uint8_t { duration, count, ppm, boolean, choice };
  std::string_view name;  // as in a scenario: snake_case
  Type type = Type::duration;
  std::int64_t default_value = 0;  // nanoseconds, a count, parts per million, 0 or 1, a place in `choices`
  std::int64_t min = 0;            // both ends are allowed
  std::int64_t max = INT64_MAX;
  std::string_view doc;  // one line, no full stop
  std::span<const std::string_view> choices =
      {};  // choice: the names, of which `max` is the last one's place
  // Of a duration: a recovery may have to wait for it (sim/faults/recovery.h).
  bool delays_recovery = true;
};

// Values for a table of specs, in the table's order.
class Parameters {
 public:
  explicit Parameters(std::span<const ParameterSpec> specs);

  std::span<const ParameterSpec> specs() const { return specs_; }
  // The index of `name`, or -1.
  int find(std::string_view name) const;
  void set(int index, std::int64_t value) { values_[static_cast<std::size_t>(index)] = value; }
  // By name. REQUIRES: the table has it.
  void set(std::string_view name, Duration value);
  std::int64_t value(int index) const { return values_[static_cast<std::size_t>(index)]; }
  // By name. REQUIRES: the table has it.
  Duration duration(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  bool flag(std::string_view name) const { return number(name) != 0; }
  // By name, of a choice. REQUIRES: the table has it.
  std::string_view choice(std::string_view name) const;

 private:
  int declared(std::string_view name) const;

  std::span<const ParameterSpec> specs_;
  std::vector<std::int64_t> values_;
};

// One thing wrong with a set of values.
struct Complaint {
  std::string_view parameter;  // whose line the error should point at
  std::string_view accept;     // unsafe: the name that accepts it; empty: ill-formed, never acceptable
  std::string text;            // for unsafe settings, with the inequality that fails, in numbers
  // Unsafe, but runs without being accepted: the modelled library does not refuse it, or it costs no claim.
  bool warning = false;
};

// The values outside their ranges. A protocol's `validate` assumes that there are none.
std::vector<Complaint> out_of_range(const Parameters& parameters);

// Unsafe settings compared with those accepted by name: places in the two lists.
struct Acceptance {
  std::vector<std::size_t> refused;   // in `needed`: nobody accepted it
  std::vector<std::size_t> unneeded;  // in `accepted`: no setting needs it
  std::vector<std::size_t> repeated;  // in `accepted`: needed, and named before
};
Acceptance judge(std::span<const std::string_view> needed, std::span<const std::string_view> accepted);

// Why a program may not run with these complaints, in words; empty: it may.
std::string objection_to(const std::vector<Complaint>& complaints, std::span<const std::string> accepted);
// The unsafe settings that run without being accepted, and were not accepted, each in words.
std::vector<std::string> warnings_of(const std::vector<Complaint>& complaints,
                                     std::span<const std::string> accepted);

// An invariant may rest on these. Faults and clock settings say which of them they break.
enum class Assumption : std::uint8_t {
  rate_bound,        // each monotonic clock's rate is off by no more than max_clock_drift_ppm
  rates_equal,       // all monotonic clocks run at one rate
  wall_in_step,      // wall clocks agree with the store's, and never step
  no_store_step,     // the store's clock never steps
  no_lost_commits,   // the store keeps what it has acknowledged
  no_mono_freeze,    // the monotonic clock runs while the process stands still
  no_pause,          // no process stands still for longer than scheduling noise
  prompt_store,      // the store answers well within the request timeout, acknowledgements included
  prompt_at_rest,    // answers come in time where no fault disturbs them (a heal does not repair settings)
  reliable_network,  // messages between instances arrive once and in time
  steady_leader,  // leadership does not go round: who leads goes on leading until a fault or a stop ends it
  no_crash,       // no process dies
};
std::string_view name_of(Assumption assumption);
std::optional<Assumption> find_assumption(std::string_view name);  // nullopt when there is none

// "`invariant` holds as long as all of `assumptions` do": a protocol promises this, and a run checks it.
struct Claim {
  std::string_view invariant;  // a checker's name
  std::vector<Assumption> assumptions;
  // What remains of a breach once the assumption holds again. `passes`: one recovery later (sim/faults/recovery.h)
  // nothing is left that can violate the invariant. A scheduler's aftermath passes no sooner than that of its
  // election's claim of one-believer.
  enum class Aftermath : std::uint8_t { for_good, passes } aftermath = Aftermath::for_good;
  // For a scheduler: the election's claims that this one rests on, by name. It holds as long as they hold.
  std::vector<std::string_view> election = {};
};

// The defaults for a kind that declares nothing.
inline std::span<const ParameterSpec> no_parameters() { return {}; }
inline std::vector<Complaint> no_complaints(const Parameters&) { return {}; }
inline const std::vector<Claim>& no_claims() {
  static const std::vector<Claim> none;
  return none;
}

}  // namespace tenure
