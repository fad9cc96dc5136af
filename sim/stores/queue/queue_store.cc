#include "sim/stores/queue/queue_store.h"

#include <algorithm>

#include "sim/stores/message_kind.h"

namespace tenure::queue {
namespace {

constexpr Duration kUsualVisibility = Duration::seconds(30);
constexpr Duration kLongestVisibility = Duration::hours(12);
constexpr Duration kLongestPoll = Duration::seconds(20);
constexpr std::int64_t kMostMessages = 10;

// What is wrong with the numbers; empty: nothing.
std::string problem_of(const ReceiveMessage& asked) {
  const std::int64_t most = asked.max_number_of_messages.value_or(1);
  const Duration visibility = asked.visibility_timeout.value_or(kUsualVisibility);
  const Duration wait = asked.wait_time.value_or(Duration{});
  if (most < 1 || most > kMostMessages) return "MaxNumberOfMessages is from 1 to 10";
  if (visibility < Duration{} || visibility > kLongestVisibility)
    return "VisibilityTimeout is from 0 to 43200";
  if (wait < Duration{} || wait > kLongestPoll) return "WaitTimeSeconds is from 0 to 20";
  return {};
}

}  // namespace

std::optional<Reply> QueueStore::answer(const SendMessage& asked, const Caller& caller) {
  Stored message;
  message.message_id = "message-" + std::to_string(++sent_);
  message.body = asked.body;
  message.visible_at = caller.now;
  messages_.push_back(message);
  return Sent{message.message_id};
}

std::optional<Reply> QueueStore::answer(const ReceiveMessage& asked, const Caller& caller) {
  if (std::string problem = problem_of(asked); !problem.empty())
    return Failed{"InvalidParameterValue", std::move(problem)};
  Received received = receive(asked, caller.now);
  const Duration wait = asked.wait_time.value_or(Duration{});
  if (!received.messages.empty() || wait == Duration{}) return received;
  waiting_.push_back({caller, asked, caller.now + wait});
  return std::nullopt;
}

Received QueueStore::receive(const ReceiveMessage& asked, StoreTime now) {
  Received received;
  for (Stored& message : messages_) {
    if (std::ssize(received.messages) == asked.max_number_of_messages.value_or(1)) break;
    if (now < message.visible_at && !message.shows_again) continue;
    message.shows_again = false;
    ++message.received;
    message.received_at = now;
    message.visible_at = now + asked.visibility_timeout.value_or(kUsualVisibility);
    received.messages.push_back({message.message_id, message.handle(), message.body, message.received});
  }
  return received;
}

QueueStore::Stored* QueueStore::find(const std::string& handle) {
  const auto found = std::ranges::find_if(messages_, [&handle](const Stored& message) {
    const std::string& id = message.message_id;
    return handle.starts_with(id) && handle.size() > id.size() && handle[id.size()] == '/';
  });
  return found == messages_.end() ? nullptr : &*found;
}

std::optional<Reply> QueueStore::answer(const ChangeMessageVisibility& asked, const Caller& caller) {
  if (asked.visibility_timeout < Duration{} || asked.visibility_timeout > kLongestVisibility)
    return Failed{"InvalidParameterValue", "VisibilityTimeout is from 0 to 43200"};
  Stored* const message = find(asked.receipt_handle);
  if (message == nullptr || message->handle() != asked.receipt_handle)
    return Failed{"ReceiptHandleIsInvalid", "the handle is of no receipt, or of an earlier one"};
  if (!message->is_in_flight(caller.now)) return Failed{"MessageNotInflight", "others can have the message"};
  if (caller.now + asked.visibility_timeout > message->received_at + kLongestVisibility)
    return Failed{"InvalidParameterValue", "a message is hidden for 43200 s at most since it was received"};
  message->visible_at = caller.now + asked.visibility_timeout;
  return Done{};
}

std::optional<Reply> QueueStore::answer(const DeleteMessage& asked, const Caller&) {
  Stored* const message = find(asked.receipt_handle);
  if (message != nullptr) messages_.erase(messages_.begin() + (message - messages_.data()));
  return Done{};
}

// ---- time -----------------------------------------------------------------------------------------------------------

void QueueStore::serve(StoreTime now) {
  complete(waiting_, [&](const Waiting<ReceiveMessage>& waiting) {
    Received received = receive(waiting.asked, now);
    const bool goes_on = received.messages.empty() && now < waiting.until;
    return goes_on ? std::nullopt : std::optional(std::move(received));
  });
}

// Nothing happens by itself but for somebody who waits.
std::optional<StoreTime> QueueStore::next_time_out() const {
  if (waiting_.empty()) return std::nullopt;
  StoreTime next = std::ranges::min_element(waiting_, {}, &Waiting<ReceiveMessage>::until)->until;
  for (const Stored& message : messages_) next = std::min(next, message.visible_at);
  return next;
}

void QueueStore::time_out(StoreTime now) { serve(now); }

void QueueStore::answered(StoreTime now) { serve(now); }

bool QueueStore::can_deliver_again(StoreTime now) const {
  return std::ranges::any_of(messages_, [now](const Stored& message) { return message.is_in_flight(now); });
}

void QueueStore::deliver_again(StoreTime now) {
  for (Stored& message : messages_) message.shows_again = message.is_in_flight(now);
  serve(now);
}

void QueueStore::client_is_gone(Incarnation who, StoreTime) { forget(waiting_, who); }

void QueueStore::restart(StoreTime) {
  waiting_.clear();
  forget_completed();
}

void QueueStore::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(sent_).add(messages_.size());
  for (const Stored& message : messages_) {
    hasher.add(message.message_id).add(message.body).add(message.received).add(message.shows_again);
    const bool hidden = now < message.visible_at;
    hasher.add(hidden ? message.visible_at - now : Duration{});
    hasher.add(hidden ? message.received_at - now : Duration{});  // what its longest time counts from
  }
  for (const Waiting<ReceiveMessage>& waiting : waiting_)
    hasher.add(waiting.caller.ticket).add(waiting.until - now);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 10>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 10>; }

}  // namespace tenure::queue
