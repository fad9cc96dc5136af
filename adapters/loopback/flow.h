// One direction of a connection: what was read and is not yet written, and when each piece of it may leave.
//
// Thread rule: the owner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace tenure::loopback {

enum class Direction : std::uint8_t { to_server, to_client };

// What happens to the bytes of one direction. The default passes them on at once.
struct DirectionRule {
  bool swallow = false;       // they vanish, and the connection stays
  bool hang = false;          // they are not read: the sender's buffers fill up, and nothing is lost
  Duration delay = {};        // each message is passed on so much later,
  Duration jitter = {};       // and by a uniform draw up to this on top; the order stays
  std::uint32_t cut_ppm = 0;  // this many messages in a million are lost, and their connections with them
  std::uint32_t cut_tail =
      0;  // of a message at which a connection is cut, only so many bytes are lost; 0: all
  std::int64_t bytes_per_second = 0;  // of all connections together; 0: no limit

  friend bool operator==(const DirectionRule&, const DirectionRule&) = default;
};

// Of one direction of a connection.
inline constexpr std::size_t kBufferedMax = 256 * 1024;

// What all connections of a proxy share in one direction.
struct Wire {
  DirectionRule rule;
  MonoTime busy_until;  // with bytes_per_second: by what was read before
};

class Flow {
 public:
  enum class Taken : std::uint8_t { queued, swallowed, cut };

  // `key` makes the draws of this flow its own (tcp_proxy.h, I6).
  explicit Flow(std::uint64_t key) : key_(key) {}

  // How much may be read now.
  std::size_t room(const DirectionRule& rule) const;
  Taken take(std::string_view message, Wire& wire, MonoTime now);
  // The source has said that no more comes.
  void end(Wire& wire, MonoTime now);
  // The bytes that may be written now; empty: none.
  std::string_view ready(const DirectionRule& rule, MonoTime now) const;
  void written(std::size_t count);
  // All that was taken is written, and the sink is to hear of the end, now.
  bool may_pass_end_on(const DirectionRule& rule, MonoTime now) const;
  void end_is_passed_on() { end_passed_on_ = true; }
  bool is_over() const { return end_passed_on_; }
  bool has_ended() const { return ended_.has_value(); }
  // Nothing is written any more: what waits, and what comes.
  std::size_t swallow();
  // When the next piece, or the end, may leave; none: nothing waits, or it waits for another rule.
  std::optional<MonoTime> next_departure(const DirectionRule& rule) const;
  // A new rule is in force: what waits does not wait longer than by this one.
  void follow(const DirectionRule& rule, MonoTime now);

 private:
  struct Piece {
    std::string bytes;
    MonoTime departure;
  };
  MonoTime departure(std::size_t bytes, Wire& wire, MonoTime now);
  std::uint64_t draw(std::uint64_t what) const;

  std::uint64_t key_;
  std::uint64_t messages_ = 0;
  std::deque<Piece> pieces_;
  std::size_t written_of_first_ = 0;
  std::size_t buffered_ = 0;
  MonoTime last_departure_;
  std::optional<MonoTime> ended_;  // when the end may be passed on
  bool end_passed_on_ = false;
  bool swallows_ = false;  // I1
};

}  // namespace tenure::loopback
