#include "sim/world/digest.h"

#include <map>
#include <string>
#include <type_traits>

#include "core/base/hash.h"
#include "core/store/reference/fields.h"

namespace tenure::sim {
namespace {

// One overload of fold a type; a variant folds its index and then its alternative.
void fold(Hasher& h, const auto& value) requires(requires { h.add(value); }) { h.add(value); }
template <class... T>
void fold(Hasher& h, const std::variant<T...>& value);
template <class T>
void fold(Hasher& h, const std::vector<T>& values);
template <class T>
void fold(Hasher& h, const std::optional<T>& value);
template <class T>
void fold(Hasher& h, const std::map<std::string, T>& values);

// Requests and replies: the store's number, and then its message.
template <class Own>
void fold_message(Hasher& h, const std::variant<Own, OpenMessage>& message) {
  h.add(store_number(message));
  if (const auto* open = std::get_if<OpenMessage>(&message))
    open->add_to(h);
  else
    fold(h, static_cast<const typename Own::Alternatives&>(std::get<Own>(message)));
}
void fold(Hasher& h, const Request& request) { fold_message(h, request); }
void fold(Hasher& h, const Reply& reply) { fold_message(h, reply); }
void fold(Hasher& h, const Definition& d) { add(h, d); }
void fold(Hasher& h, const Delivery& d) {
  const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = d;
  h.add(kind).add(destination).add(strict_order).add(attempts).add(back_off).add(longest_back_off);
}
// What they are made of: every field.
template <HasFields T>
void fold(Hasher& h, const T& value);

void fold(Hasher&, const Open&) {}
void fold(Hasher& h, const Believes& n) {
  h.add(n.resource).add(n.token);
  fold(h, n.until);
}
void fold(Hasher& h, const StepsDown& n) { h.add(n.resource).add(n.why); }
void fold(Hasher& h, const LeadershipChecked& n) { h.add(n.resource); }
void fold(Hasher& h, const ClockAlarm& n) { h.add(n.jump); }
void fold(Hasher& h, const Annotation& n) { h.add(n.text).add(n.value); }
void fold(Hasher& h, const DesignError& n) { h.add(n.what); }
void fold(Hasher&, const Stopped&) {}

void fold(Hasher& h, const WorkItem& item) {
  h.add(item.resource)
      .add(item.token)
      .add(item.once)
      .add(item.destination)
      .add(item.sequence)
      .add(item.attempt);
  fold(h, item.event);
}

void fold(Hasher& h, const NodeStarted& r) { h.add(r.who); }
void fold(Hasher& h, const NodeDied& r) { h.add(r.who).add(r.how).add(r.lost); }
void fold(Hasher& h, const NodePaused& r) { h.add(r.who); }
void fold(Hasher& h, const NodeResumed& r) { h.add(r.who); }
void fold(Hasher& h, const StopHeard& r) { h.add(r.who); }
void fold(Hasher& h, const ClockChanged& r) { h.add(r.node); }
void fold(Hasher& h, const Noted& r) {
  h.add(r.who);
  fold(h, r.note);
}
void fold(Hasher& h, const Submitted& r) {
  h.add(r.id).add(r.submission.store).add(r.submission.part).add(r.submission.deadline);
  h.add(r.submission.as_leader).add(r.submission.lane);
  fold(h, r.submission.request);
}
void fold(Hasher& h, const WorkAsked& r) {
  h.add(r.who);
  fold(h, r.item);
}
void fold(Hasher& h, const Applied& r) {
  h.add(r.store).add(r.branch).add(r.store_now).add(r.id);
  fold(h, r.request);
  fold(h, r.reply);
}
void fold(Hasher& h, const StoreClockStepped& r) { h.add(r.store).add(r.by); }
void fold(Hasher& h, const StoreReplicaStalled& r) { h.add(r.store); }
void fold(Hasher& h, const StoreFailedOver& r) { h.add(r.store).add(r.branch); }
void fold(Hasher& h, const DefinitionRead& r) { h.add(r.node).add(r.schedule).add(r.readable); }
// What else the item says was in the WorkAsked.
void fold(Hasher& h, const WorkArrived& r) {
  h.add(r.who).add(r.landing).add(r.store_now);
  fold(h, r.item.event);
}
void fold(Hasher& h, const WorkEnded& r) {
  h.add(r.who).add(r.ending);
  fold(h, r.item.event);
}
void fold(Hasher& h, const DeliveryAsked& r) {
  h.add(r.who);
  fold(h, r.item);
}
void fold(Hasher& h, const DeliveryArrived& r) {
  h.add(r.who).add(r.store_now).add(r.landing);
  fold(h, r.item.event);
  h.add(r.retry_after);
}
void fold(Hasher& h, const DeliveryEnded& r) {
  h.add(r.who).add(r.ending).add(r.retry_after).add(r.answers);
  fold(h, r.item.event);
}
void fold(Hasher& h, const WorkerExecution& r) {
  h.add(r.who).add(r.ending);
  fold(h, r.token);
}
void fold(Hasher& h, const WriteAsked& r) {
  h.add(r.who).add(r.item.resource).add(r.item.number).add(r.item.token);
}
void fold(Hasher& h, const WriteLanded& r) { h.add(r.who).add(r.item.number).add(r.fenced); }
// Faults are named by their literal effect, which other records show. Their ids and texts are left out, so that a
// drawn plan and its literal print have one trace hash.
void fold(Hasher&, const FaultBegan&) {}
void fold(Hasher&, const FaultEnded&) {}
void fold(Hasher&, const FaultSkipped&) {}
void fold(Hasher&, const Healed&) {}
// Not hashed (history.h).
void fold(Hasher&, const RequestLeft&) {}
void fold(Hasher&, const RequestArrived&) {}
void fold(Hasher&, const ReplyArrived&) {}
void fold(Hasher&, const StoreDegraded&) {}
void fold(Hasher&, const LinkChanged&) {}
void fold(Hasher&, const RequestAnswered&) {}

template <class... T>
void fold(Hasher& h, const std::variant<T...>& value) {
  h.add(value.index());
  std::visit([&](const auto& alternative) { fold(h, alternative); }, value);
}
template <class T>
void fold(Hasher& h, const std::vector<T>& values) {
  h.add(values.size());
  for (const T& value : values) fold(h, value);
}
template <class T>
void fold(Hasher& h, const std::optional<T>& value) {
  h.add(value.has_value());
  if (value) fold(h, *value);
}
template <class T>
void fold(Hasher& h, const std::map<std::string, T>& values) {
  h.add(values.size());
  for (const auto& [name, value] : values) {
    h.add(name);
    fold(h, value);
  }
}
template <HasFields T>
void fold(Hasher& h, const T& value) {
  visit_fields(value, [&](const auto&... field) { (fold(h, field), ...); });
}

template <class T>
std::uint64_t digest_of(const T& value) {
  Hasher h;
  fold(h, value);
  return h.value();
}

}  // namespace

std::uint64_t digest(const Record& record) { return digest_of(record); }
std::uint64_t digest(const Request& request) { return digest_of(request); }
std::uint64_t digest(const Reply& reply) { return digest_of(reply); }
std::uint64_t digest(const Message& message) {
  Hasher h;
  h.add(message.kind);
  fold(h, message.words);
  return h.value();
}

}  // namespace tenure::sim
