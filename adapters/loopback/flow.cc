#include "adapters/loopback/flow.h"

#include <algorithm>

#include "core/base/hash.h"

namespace tenure::loopback {
namespace {

constexpr std::size_t kReadMax = 64 * 1024;
constexpr std::int64_t kSlicesASecond = 20;  // a slow wire passes bytes on in such slices
constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::int64_t kNanosASecond = 1'000'000'000;

bool lets_through(const DirectionRule& rule) { return !rule.hang && !rule.swallow; }

}  // namespace

std::size_t Flow::room(const DirectionRule& rule) const {
  if (rule.hang) return 0;
  const std::size_t free = std::min(kReadMax, kBufferedMax - buffered_);
  if (free == 0 || rule.bytes_per_second <= 0) return free;
  return std::clamp<std::size_t>(static_cast<std::size_t>(rule.bytes_per_second / kSlicesASecond), 1, free);
}

Flow::Taken Flow::take(std::string_view message, Wire& wire, MonoTime now) {
  ++messages_;
  if (reduce(draw(0), kMillion) < wire.rule.cut_ppm) return Taken::cut;
  if (wire.rule.swallow) swallows_ = true;
  if (swallows_) return Taken::swallowed;
  pieces_.push_back({std::string(message), departure(message.size(), wire, now)});
  buffered_ += message.size();
  return Taken::queued;
}

void Flow::end(Wire& wire, MonoTime now) {
  ++messages_;
  ended_ = departure(0, wire, now);
}

MonoTime Flow::departure(std::size_t bytes, Wire& wire, MonoTime now) {
  if (wire.rule.bytes_per_second > 0) {
    const auto time = static_cast<std::int64_t>(static_cast<uint128>(bytes) * kNanosASecond /
                                                static_cast<uint128>(wire.rule.bytes_per_second));
    wire.busy_until = std::max(wire.busy_until, now) + Duration::nanos(time);
    now = wire.busy_until;
  }
  const std::uint64_t span = static_cast<std::uint64_t>(std::max<std::int64_t>(wire.rule.jitter.ns(), 0)) + 1;
  const auto jitter = Duration::nanos(static_cast<std::int64_t>(reduce(draw(1), span)));
  last_departure_ = std::max(last_departure_, now + wire.rule.delay + jitter);
  return last_departure_;
}

std::uint64_t Flow::draw(std::uint64_t what) const { return Hasher(key_).add(messages_).add(what).value(); }

std::string_view Flow::ready(const DirectionRule& rule, MonoTime now) const {
  if (pieces_.empty() || !lets_through(rule) || pieces_.front().departure > now) return {};
  return std::string_view(pieces_.front().bytes).substr(written_of_first_);
}

void Flow::written(std::size_t count) {
  written_of_first_ += count;
  buffered_ -= count;
  if (written_of_first_ < pieces_.front().bytes.size()) return;
  pieces_.pop_front();
  written_of_first_ = 0;
}

bool Flow::may_pass_end_on(const DirectionRule& rule, MonoTime now) const {
  return ended_ && !end_passed_on_ && pieces_.empty() && *ended_ <= now && lets_through(rule);
}

std::size_t Flow::swallow() {
  const std::size_t lost = buffered_;
  swallows_ = swallows_ || lost > 0;
  pieces_.clear();
  written_of_first_ = buffered_ = 0;
  return lost;
}

std::optional<MonoTime> Flow::next_departure(const DirectionRule& rule) const {
  if (!lets_through(rule)) return std::nullopt;
  if (!pieces_.empty()) return pieces_.front().departure;
  return end_passed_on_ ? std::nullopt : ended_;
}

void Flow::follow(const DirectionRule& rule, MonoTime now) {
  if (rule.bytes_per_second > 0) return;
  const MonoTime latest = now + rule.delay + rule.jitter;
  for (Piece& piece : pieces_) piece.departure = std::min(piece.departure, latest);
  if (ended_) ended_ = std::min(*ended_, latest);
  last_departure_ = std::min(last_departure_, latest);
}

}  // namespace tenure::loopback
