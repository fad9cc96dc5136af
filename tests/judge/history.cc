#include "tests/judge/history.h"

namespace tenure::judging {
namespace {

constexpr StoreId kStore{0};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

std::optional<Fact> Recorder::copy(const sim::Record& record) const {
  return std::visit(Overloaded{
                        [](const auto& plain) -> std::optional<Fact> {
                          if constexpr (std::is_constructible_v<Fact, decltype(plain)>) return plain;
                          return std::nullopt;  // no invariant is about it
                        },
                        [&](const sim::ClockChanged& r) -> std::optional<Fact> {
                          KeptClockChange change{r.node, {}};
                          const auto declared = declared_.find(r.node);
                          if (declared == declared_.end()) return change;
                          for (const std::size_t place : declared->second) {
                            const auto& note = std::get<KeptNote>(history_.facts[place].fact);
                            change.ends[place] =
                                view_.true_time_of(r.node, std::get<Believes>(note.note).until);
                          }
                          return change;
                        },
                        [&](const sim::Noted& r) -> std::optional<Fact> {
                          KeptNote note{.who = r.who, .note = r.note};
                          if (const auto* believes = std::get_if<Believes>(&r.note))
                            note.end = view_.true_time_of(r.who.node, believes->until);
                          return note;
                        },
                        [](const sim::Submitted& r) -> std::optional<Fact> {
                          return KeptSubmission{r.who, r.id, r.submission};
                        },
                        [](const sim::WorkAsked& r) -> std::optional<Fact> {
                          return KeptWorkAsked{r.who, r.item};
                        },
                        [](const sim::Applied& r) -> std::optional<Fact> {
                          // One by one: g++ 12 takes a half-made one for used.
                          KeptApplied kept;
                          kept.branch = r.branch;
                          kept.store_now = r.store_now;
                          kept.who = r.who;
                          kept.id = r.id;
                          kept.request = r.request;
                          kept.reply = r.reply;
                          return kept;
                        },
                        [](const sim::WorkArrived& r) -> std::optional<Fact> {
                          return KeptArrival{r.who, r.item, r.landing, r.store_now};
                        },
                        [&](const sim::DeliveryAsked& r) -> std::optional<Fact> {
                          return KeptDeliveryAsked{r.who, r.item, view_.mono_now(r.who.node)};
                        },
                        [&](const sim::DeliveryArrived& r) -> std::optional<Fact> {
                          return KeptDeliveryLanding{r.who,       r.item,        r.landing,
                                                     r.store_now, r.retry_after, view_.mono_now(r.who.node)};
                        },
                        [&](const sim::DeliveryEnded& r) -> std::optional<Fact> {
                          const MonoTime mono = view_.mono_now(r.who.node);
                          return KeptDeliveryEnding{r.who, r.item, r.ending, r.retry_after, mono, r.answers};
                        },
                        [](const sim::WorkEnded& r) -> std::optional<Fact> {
                          return KeptEnding{r.who, r.item, r.ending};
                        },
                    },
                    record);
}

void Recorder::see(sim::TrueTime now, const sim::Record& record) {
  std::optional<Fact> fact = copy(record);
  if (!fact) return;
  history_.facts.push_back({now, view_.store_now(kStore), std::move(*fact)});
  const auto* note = std::get_if<KeptNote>(&history_.facts.back().fact);
  if (note != nullptr && std::holds_alternative<Believes>(note->note))
    declared_[note->who.node].push_back(history_.facts.size() - 1);
}

History Recorder::take(sim::TrueTime end) {
  history_.end = end;
  history_.end_store = view_.store_now(kStore);
  return std::move(history_);
}

}  // namespace tenure::judging
