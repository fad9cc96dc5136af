#include "core/scheduler/fenced_outbox/relay.h"

#include <algorithm>

namespace tenure {

Lane& Relay::lane_of(const std::string& destination) {
  return lanes_.try_emplace(destination, running_).first->second;
}

bool Relay::is_with_others(const reference::EventId& event, const Deliveries* owner) {
  bool is_held = false;
  const auto disown = [&](Deliveries& in_hand) {
    if (&in_hand != owner && in_hand.holds(event)) is_held = !in_hand.disown(event);
  };
  disown(work_);
  for (auto& [destination, lane] : lanes_) disown(lane.in_hand());
  return is_held;
}

bool Relay::holds_work(const reference::EventId& event) {
  return work_.holds(event) || is_with_others(event, &work_);
}

bool Relay::begin_work(const reference::EventId& event, const Token& token) {
  return !is_with_others(event, &work_) && work_.begin(event, token);
}

void Relay::knows(const std::string& destination) {
  const auto [place, fresh] = lanes_.try_emplace(destination, running_);
  if (!fresh) return;
  place->second.unread_after(0);
  behind_ = true;
}

// Mostly it is the next of all that waits. While there is much to read before it, its lane reads for itself.
void Relay::committed(const std::string& destination) {
  Lane& lane = lane_of(destination);
  if (behind_ && !lane.unread_after()) lane.unread_after(lane.seen());
  behind_ = true;
}

void Relay::read_anew() {
  seen_ = 0;
  behind_ = !lanes_.empty();
  for (auto& [destination, lane] : lanes_) {
    lane.read_anew();
    lane.unread_after(0);
  }
}

std::optional<Relay::Page> Relay::next_page() const {
  const Page all{std::nullopt, seen_};
  if (behind_ && !all_had_theirs_) return all;
  const auto wants = [](const auto& lane) { return lane.second.unread_after() && lane.second.has_room(); };
  auto next = std::find_if(lanes_.upper_bound(read_last_), lanes_.end(), wants);
  if (next == lanes_.end()) next = std::find_if(lanes_.begin(), lanes_.end(), wants);
  if (next != lanes_.end()) return Page{next->first, *next->second.unread_after()};
  return behind_ ? std::optional(all) : std::nullopt;
}

bool Relay::is_wanted(const Page& page) {
  return page.name ? lane_of(*page.name).unread_after() == page.after : seen_ == page.after;
}

void Relay::page_begins(const Page& page) {
  all_had_theirs_ = !page.name;
  if (!page.name) return;
  read_last_ = *page.name;
  lane_of(*page.name).unread_after(std::nullopt);
}

void Relay::take(const Page& page, const reference::WaitingEvents& answer) {
  if (!is_wanted(page)) return;
  page_begins(page);
  std::uint64_t before = page.after;
  for (const reference::WaitingEvent& event : answer.events) {
    see(event, before);
    before = event.seq;
  }
  page_ends(page, before, answer.more);
}

void Relay::see(const reference::WaitingEvent& event, std::uint64_t before) {
  Lane& lane = lane_of(event.name);
  lane.saw(event.id, event.seq);
  if (lane.holds(event.id) || is_with_others(event.id, &lane.in_hand())) return;
  const Delivery& delivery = event.delivery;
  const Deliveries::Policy policy{.retry = delivery.back_off,
                                  .attempts = delivery.attempts,
                                  .longest = delivery.longest_back_off,
                                  .age = age_,
                                  .spread = true};
  lane.see({event.seq, event.id}, policy, delivery.strict_order, before);
}

void Relay::page_ends(const Page& page, std::uint64_t last, bool more) {
  if (!page.name) {
    seen_ = last;
    behind_ = more;
  } else if (Lane& lane = lane_of(*page.name); more && !lane.unread_after()) {
    lane.unread_after(last);
  }
}

MonoTime Relay::next_begin(MonoTime now) const {
  MonoTime next = MonoTime::max();
  for (const auto& [destination, lane] : lanes_) next = std::min(next, lane.next(now));
  return next;
}

Deliveries::Finish Relay::finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now) {
  using Finish = Deliveries::Finish;
  const reference::EventId& event = done.event;
  Finish finish = Finish::not_here;
  if (lanes_.empty() || work_.holds(event))
    finish = work_.finish({event, done.result, {}, done.why}, token, now);
  for (auto& [destination, lane] : lanes_)
    if (lane.holds(event)) finish = lane.finish(done, token, now);
  // Pages have shown it while it was in hand. Nothing later of its schedule may begin before it is seen again.
  if (finish == Finish::lost) read_anew();
  return finish;
}

void Relay::forget_waiting() {
  work_.forget_waiting();
  for (auto& [destination, lane] : lanes_) lane.forget_waiting();
}

std::vector<reference::EventId> Relay::take_delivered(std::size_t limit) {
  std::vector<reference::EventId> events = work_.take_delivered(limit);
  for (auto& [destination, lane] : lanes_) {
    const auto more = lane.in_hand().take_delivered(limit - events.size());
    events.insert(events.end(), more.begin(), more.end());
  }
  return events;
}

std::vector<reference::DeadEvent> Relay::take_given_up(std::size_t limit) {
  std::vector<reference::DeadEvent> events = work_.take_given_up(limit);
  for (auto& [destination, lane] : lanes_) {
    const auto more = lane.in_hand().take_given_up(limit - events.size());
    events.insert(events.end(), more.begin(), more.end());
  }
  return events;
}

void Relay::acknowledged() {
  work_.acknowledged();
  for (auto& [destination, lane] : lanes_) {
    lane.in_hand().acknowledged();
    lane.settled();
  }
}

bool Relay::not_acknowledged(const std::optional<Token>& token) {
  const bool kept = work_.not_acknowledged(token);
  bool lanes_kept = true;
  for (auto& [destination, lane] : lanes_) lanes_kept = lane.in_hand().not_acknowledged(token) && lanes_kept;
  if (!lanes_kept) read_anew();
  return kept && lanes_kept;
}

std::size_t Relay::running() const {
  std::size_t running = work_.running();
  for (const auto& [destination, lane] : lanes_) running += lane.in_hand().running();
  return running;
}

std::size_t Relay::done() const {
  std::size_t done = work_.done();
  for (const auto& [destination, lane] : lanes_) done += lane.in_hand().done();
  return done;
}

std::size_t Relay::given_up() const {
  std::size_t given_up = work_.given_up();
  for (const auto& [destination, lane] : lanes_) given_up += lane.in_hand().given_up();
  return given_up;
}

bool Relay::empty() const {
  return work_.empty() && std::all_of(lanes_.begin(), lanes_.end(),
                                      [](const auto& lane) { return lane.second.in_hand().empty(); });
}

void Relay::hash(Hasher& hasher, const Canon& canon) const {
  work_.hash(hasher, canon);
  hasher.add(lanes_.size()).add(seen_).add(behind_).add(read_last_).add(all_had_theirs_);
  for (const auto& [destination, lane] : lanes_) {
    hasher.add(destination);
    lane.hash(hasher, canon);
  }
}

}  // namespace tenure
