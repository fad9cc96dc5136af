#include "core/scheduler/fenced_outbox/delivery_dispatcher.h"

#include <algorithm>
#include <iterator>

namespace tenure {

bool DeliveryDispatcher::is_with_others(const reference::EventId& event, const DestinationQueue& owner) {
  bool is_held = false;
  for (auto& [name, queue] : queues_)
    if (&queue != &owner && queue.holds(event)) is_held = !queue.in_hand().disown(event);
  return is_held;
}

bool DeliveryDispatcher::begin_work(const reference::EventId& event, const Token& token) {
  return !is_with_others(event, own()) && own().in_hand().begin({event}, token, MonoTime::min(), work_);
}

void DeliveryDispatcher::knows(const std::string& destination) {
  const auto [place, fresh] = queues_.try_emplace(destination);
  if (!fresh) return;
  place->second.left().restart();
  read_on(Source::waiting);
}

// Mostly it is the next of all that waits. While there is much to read before it, its queue reads for itself.
void DeliveryDispatcher::committed(const std::string& destination) {
  DestinationQueue& queue = queues_[destination];
  if (has_more(Source::waiting) && !queue.left().more) queue.left().read_from(queue.seen());
  read_on(Source::waiting);
}

void DeliveryDispatcher::read_anew(bool anew) {
  PageReader<std::uint64_t>& outbox = reading(Source::outbox).all;
  if (anew) outbox.reached.reset();
  outbox.restart();
  own().read_anew();
  read_destinations_anew();
}

void DeliveryDispatcher::read_destinations_anew() {
  reading(Source::waiting).all = {};
  reading(Source::waiting).all.more = queues_.size() > 1;
  for (auto queue = std::next(queues_.begin()); queue != queues_.end(); ++queue) {
    queue->second.read_anew();
    queue->second.left().restart();
  }
}

const std::string* DeliveryDispatcher::next_to_read(Source source) const {
  if (source == Source::outbox) return own().wants_page() ? &kOwn : nullptr;
  const auto wants = [](const auto& queue) { return queue.second.wants_page(); };
  auto next = std::find_if(queues_.upper_bound(reading(source).last), queues_.end(), wants);
  if (next == queues_.end()) next = std::find_if(std::next(queues_.begin()), queues_.end(), wants);
  return next == queues_.end() ? nullptr : &next->first;
}

std::optional<DeliveryDispatcher::Page> DeliveryDispatcher::next_page(Source source) const {
  const Reading& reading = this->reading(source);
  if (reading.all.more && reading.turns.is_first(What::all)) return page_of_all(source);
  if (const std::string* name = next_to_read(source)) {
    return Page{*name, queues_.at(*name).left().after.value_or(0), source};
  }
  return reading.all.more ? std::optional(page_of_all(source)) : std::nullopt;
}

template <class Events>
bool DeliveryDispatcher::take_events(const Page& page, const Events& events, bool more) {
  Reading& reading = this->reading(page.source);
  PageReader<std::uint64_t>& reader = page.name ? queues_[*page.name].left() : reading.all;
  if ((page.name && !reader.more) || reader.after.value_or(0) != page.after) return false;
  reading.turns.had(page.name ? What::left : What::all);
  if (page.name) {
    reading.last = *page.name;
    reader = {};
  }
  std::uint64_t before = page.after;
  for (const auto& event : events) {
    see(event, before);
    before = event.seq;
  }
  if (page.name) {
    if (more && !reader.more) reader.read_from(before);
    return false;
  }
  const bool further = reader.took(before, more && !events.empty());
  if (!reader.more) reader.reached.reset();
  return further;
}

bool DeliveryDispatcher::take(const Page& page, const reference::Outbox& answer) {
  return take_events(page, answer.events, answer.more);
}

bool DeliveryDispatcher::take(const Page& page, const reference::WaitingEvents& answer) {
  return take_events(page, answer.events, answer.more);
}

void DeliveryDispatcher::see(const reference::OutboxEvent& event, std::uint64_t before) {
  own().in_hand().shown(event.id, event.seq);
  if (own().holds(event.id) || is_with_others(event.id, own())) return;
  own().see(event, work_, DestinationQueue::Begins::at_once, before);
}

void DeliveryDispatcher::see(const reference::WaitingEvent& event, std::uint64_t before) {
  DestinationQueue& queue = queues_[event.name];
  queue.saw(event.id, event.seq);
  if (queue.holds(event.id)) return;
  using Begins = DestinationQueue::Begins;
  const Delivery& delivery = event.delivery;
  const Begins begins = is_with_others(event.id, queue) ? Begins::after_others
                        : delivery.strict_order         ? Begins::in_order
                                                        : Begins::at_once;
  const Deliveries::Policy policy{.retry = delivery.back_off,
                                  .attempts = delivery.attempts,
                                  .longest = delivery.longest_back_off,
                                  .age = age_,
                                  .spread = true,
                                  .before = event.attempt};
  queue.see({event.seq, event.id}, policy, begins, before);
}

MonoTime DeliveryDispatcher::next_begin(MonoTime now, std::size_t room,
                                        DestinationQueue::FiresWait fires_wait) const {
  MonoTime next = MonoTime::max();
  for (const auto& [name, queue] : queues_)
    next = std::min(
        next, name.empty() ? queue.next(now, room, fires_wait) : queue.next(now, places(queue), kNoFires));
  return next;
}

Deliveries::Finish DeliveryDispatcher::finish(const WorkDone& done, const std::optional<Token>& token,
                                              MonoTime now) {
  using Finish = Deliveries::Finish;
  Finish finish = Finish::not_here;
  for (auto& [name, queue] : queues_)
    if (finish == Finish::not_here) finish = queue.finish(done, token, now);
  // Pages have shown it while it was in hand. Nothing later of its schedule may begin before it is seen again.
  if (finish == Finish::lost) read_destinations_anew();
  return finish;
}

std::vector<reference::DeliveredEvent> DeliveryDispatcher::take_delivered(std::size_t limit) {
  std::vector<reference::DeliveredEvent> events;
  for (auto& [name, queue] : queues_)
    for (const reference::EventId& event : queue.in_hand().take_delivered(limit - events.size()))
      events.push_back({event, name.empty() ? Delivery::Kind::work : Delivery::Kind::push, name});
  return events;
}

std::vector<reference::DeadEvent> DeliveryDispatcher::take_given_up(std::size_t limit) {
  std::vector<reference::DeadEvent> events;
  for (auto& [name, queue] : queues_) {
    const auto more = queue.in_hand().take_given_up(limit - events.size());
    events.insert(events.end(), more.begin(), more.end());
  }
  return events;
}

bool DeliveryDispatcher::not_acknowledged(const std::optional<Token>& token) {
  const bool own_kept = own().in_hand().not_acknowledged(token);
  bool kept = true;
  for (auto& [name, queue] : queues_) kept = queue.in_hand().not_acknowledged(token) && kept;
  if (!kept) read_destinations_anew();
  return own_kept && kept;
}

std::size_t DeliveryDispatcher::sum(std::size_t (Deliveries::*count)() const) const {
  std::size_t total = 0;
  for (const auto& [name, queue] : queues_) total += (queue.in_hand().*count)();
  return total;
}

}  // namespace tenure
