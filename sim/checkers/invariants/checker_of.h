// What checkers derive from: class NoDrift final : public CheckerOf<NoDrift>.
//
// It has a public function on(now, record) for each kind of record that it wants. RunHistory has seen the record by
// then. If it has a function before(now, record), that is called first. One that wants other records only for that says
// so in wants().
//
// Its file ends with TENURE_MADE_AS(no_drift, NoDrift), which defines the make() of kinds.h.
//
// Thread rule: as Checker.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "sim/checkers/checker.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/run_history.h"

namespace tenure::sim {

template <class Self>
class CheckerOf : public Checker {
 public:
  explicit CheckerOf(const CheckerSetup& setup)
      : own_(setup.history == nullptr ? std::make_unique<RunHistory>(setup.scenario, setup.view, setup.nodes,
                                                                     RunHistory::Scope::journals)
                                      : nullptr),
        run_(own_ != nullptr ? *own_ : *setup.history),
        names_(run_.names()),
        view_(setup.view) {}

  std::uint32_t wants() const override { return mask_of(static_cast<const Record*>(nullptr)); }
  void see(TrueTime now, const Record& record) final {
    if (own_ != nullptr) own_->see(now, record);
    Self& self = static_cast<Self&>(*this);
    if constexpr (requires { self.before(now, record); }) self.before(now, record);
    show(self, now, record, std::make_index_sequence<std::variant_size_v<Record>>());
    if (own_ != nullptr) own_->after().see(now, record);
  }

 private:
  std::unique_ptr<RunHistory> own_;

 protected:
  const RunHistory& run_;
  const Names& names_;
  const View& view_;

 private:
  // `Reader` is Self; it may have no function on() at all.
  template <class Reader, class Kind>
  static constexpr bool wants_kind() {
    return requires(Reader & reader, TrueTime now, const Kind& it) { reader.on(now, it); };
  }
  // Compares with the few kinds that it wants: that takes less than a visit.
  template <std::size_t... kKinds>
  static void show(Self& self, TrueTime now, const Record& record, std::index_sequence<kKinds...>) {
    static_cast<void>((show<kKinds>(self, now, record) || ...));
  }
  template <std::size_t kKind>
  static bool show(Self& self, TrueTime now, const Record& record) {
    if constexpr (wants_kind<Self, std::variant_alternative_t<kKind, Record>>()) {
      const auto* it = std::get_if<kKind>(&record);
      if (it != nullptr) self.on(now, *it);
      return it != nullptr;
    }
    return false;
  }
  template <class... Kinds>
  static constexpr std::uint32_t mask_of(const std::variant<Kinds...>*) {
    return ((wants_kind<Self, Kinds>() ? record_mask<Kinds>() : 0) | ...);
  }
};

#define TENURE_MADE_AS(checker, Class) \
  std::unique_ptr<Checker> checker::make(const CheckerSetup& setup) { return std::make_unique<Class>(setup); }

}  // namespace tenure::sim
