#include "tests/judge/replay.h"

namespace tenure::judging {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

constexpr StoreId kStore{0};

// The record that a fact was made from.
sim::Record record_of(const Fact& fact) {
  return std::visit(Overloaded{
                        [](const auto& plain) -> sim::Record { return plain; },
                        [](const KeptClockChange& f) -> sim::Record { return sim::ClockChanged{f.node}; },
                        [](const KeptNote& f) -> sim::Record {
                          return sim::Noted{f.who, f.note};
                        },
                        [](const KeptSubmission& f) -> sim::Record {
                          return sim::Submitted{f.who, f.id, f.submission};
                        },
                        [](const KeptWorkAsked& f) -> sim::Record {
                          return sim::WorkAsked{f.who, f.item};
                        },
                        [](const KeptApplied& f) -> sim::Record {
                          return sim::Applied{kStore, f.branch, f.store_now, f.who, f.id, f.request, f.reply};
                        },
                        [](const KeptArrival& f) -> sim::Record {
                          return sim::WorkArrived{f.who, f.item, f.landing, f.store_now};
                        },
                        [](const KeptDeliveryAsked& f) -> sim::Record {
                          return sim::DeliveryAsked{f.who, f.item};
                        },
                        [](const KeptDeliveryLanding& f) -> sim::Record {
                          return sim::DeliveryArrived{f.who, f.item, f.landing, f.store_now, f.retry_after};
                        },
                        [](const KeptDeliveryEnding& f) -> sim::Record {
                          return sim::DeliveryEnded{f.who, f.item, f.ending, f.retry_after, f.answers};
                        },
                        [](const KeptEnding& f) -> sim::Record {
                          return sim::WorkEnded{f.who, f.item, f.ending};
                        },
                    },
                    fact);
}

}  // namespace

void Replay::follow(std::size_t place) {
  const Kept& kept = history_.facts[place];
  store_now_ = kept.store_now;
  std::visit(
      [&](const auto& fact) {
        if constexpr (requires { fact.mono; }) mono_[fact.who.node] = fact.mono;
      },
      kept.fact);
  if (const auto* note = std::get_if<KeptNote>(&kept.fact)) {
    if (const auto* believes = std::get_if<Believes>(&note->note))
      ends_[note->who.node].push_back({place, believes->until, note->end});
  } else if (const auto* change = std::get_if<KeptClockChange>(&kept.fact)) {
    for (End& end : ends_[change->node])
      if (const auto mapped = change->ends.find(end.declared); mapped != change->ends.end())
        end.at = mapped->second;
  }
}

void Replay::show_to(const std::vector<sim::Observer*>& observers) {
  for (std::size_t place = 0; place < history_.facts.size(); ++place) {
    follow(place);
    const sim::Record record = record_of(history_.facts[place].fact);
    for (sim::Observer* observer : observers)
      if ((observer->wants() >> record.index() & 1u) != 0) observer->see(history_.facts[place].at, record);
  }
  store_now_ = history_.end_store;
}

sim::TrueTime Replay::true_time_of(NodeId node, const Until& until) const {
  const auto known = ends_.find(node);
  if (known != ends_.end())
    for (auto it = known->second.rbegin(); it != known->second.rend(); ++it)
      if (it->until == until) return it->at;
  return sim::TrueTime::max();
}

MonoTime Replay::mono_now(NodeId node) const {
  const auto known = mono_.find(node);
  return known != mono_.end() ? known->second : MonoTime{};
}

}  // namespace tenure::judging
