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

void fold(Hasher& h, const WorkItem& item);

// Each, one after the other: of what is declared above.
template <class... T>
void fold_all(Hasher& h, const T&... values) {
  (fold(h, values), ...);
}

void fold(Hasher&, const Open&) {}
void fold(Hasher& h, const Believes& n) { fold_all(h, n.resource, n.token, n.until); }
void fold(Hasher& h, const StepsDown& n) { fold_all(h, n.resource, n.why); }
void fold(Hasher& h, const LeadershipChecked& n) { h.add(n.resource); }
void fold(Hasher& h, const ClockAlarm& n) { h.add(n.jump); }
void fold(Hasher& h, const Annotation& n) { fold_all(h, n.text, n.value); }
void fold(Hasher& h, const DesignError& n) { h.add(n.what); }
void fold(Hasher&, const Stopped&) {}

void fold(Hasher& h, const WorkItem& item) {
  fold_all(h, item.resource, item.token, item.once, item.destination, item.sequence, item.attempt,
           item.event);
}

void fold(Hasher& h, const NodeStarted& r) { h.add(r.who); }
void fold(Hasher& h, const NodeDied& r) { fold_all(h, r.who, r.how, r.lost); }
void fold(Hasher& h, const NodePaused& r) { h.add(r.who); }
void fold(Hasher& h, const NodeResumed& r) { h.add(r.who); }
void fold(Hasher& h, const StopHeard& r) { h.add(r.who); }
void fold(Hasher& h, const ClockChanged& r) { h.add(r.node); }
void fold(Hasher& h, const Noted& r) { fold_all(h, r.who, r.note); }
void fold(Hasher& h, const Submitted& r) {
  const Submission& asked = r.submission;
  fold_all(h, r.id, asked.store, asked.part, asked.deadline, asked.as_leader, asked.lane, asked.request);
}
void fold(Hasher& h, const WorkAsked& r) { fold_all(h, r.who, r.item); }
void fold(Hasher& h, const Applied& r) {
  fold_all(h, r.store, r.branch, r.store_now, r.id, r.request, r.reply);
}
void fold(Hasher& h, const StoreClockStepped& r) { fold_all(h, r.store, r.by); }
void fold(Hasher& h, const StoreReplicaStalled& r) { h.add(r.store); }
void fold(Hasher& h, const StoreFailedOver& r) { fold_all(h, r.store, r.branch); }
void fold(Hasher& h, const DefinitionRead& r) { fold_all(h, r.node, r.schedule, r.readable); }
// What else the item says was in the WorkAsked.
void fold(Hasher& h, const WorkArrived& r) { fold_all(h, r.who, r.landing, r.store_now, r.item.event); }
void fold(Hasher& h, const WorkEnded& r) { fold_all(h, r.who, r.ending, r.item.event); }
void fold(Hasher& h, const DeliveryAsked& r) { fold_all(h, r.who, r.item); }
void fold(Hasher& h, const DeliveryArrived& r) {
  fold_all(h, r.who, r.store_now, r.landing, r.item.event, r.retry_after);
}
void fold(Hasher& h, const DeliveryEnded& r) {
  fold_all(h, r.who, r.ending, r.retry_after, r.answers, r.item.event);
}
void fold(Hasher& h, const WorkerExecution& r) { fold_all(h, r.who, r.ending, r.token); }
void fold(Hasher& h, const WriteAsked& r) {
  fold_all(h, r.who, r.item.resource, r.item.number, r.item.token);
}
void fold(Hasher& h, const WriteLanded& r) { fold_all(h, r.who, r.item.number, r.fenced); }
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
