#include "adapters/runtime/journaling_store.h"

#include <utility>

#include "core/journal/kinds.h"

namespace tenure {
namespace {

class JournalingStore final : public StoreBackend {
 public:
  JournalingStore(std::unique_ptr<StoreBackend> store, Runtime& runtime)
      : store_(std::move(store)), runtime_(runtime) {}

  Answer execute(const reference::Request& request, Duration timeout) override {
    if (!journal::clients_change_with(request)) return store_->execute(request, timeout);
    const MonoTime asked = runtime_.clock().mono();
    Answer answer = store_->execute(request, timeout);
    if (auto change = client_change(request, answer, asked)) runtime_.tell(*std::move(change));
    return answer;
  }
  std::string place() const override { return store_->place(); }
  std::string identity() const override { return store_->identity(); }
  std::optional<StoreAudit> audit(ResourceId resource) override { return store_->audit(resource); }

 private:
  const std::unique_ptr<StoreBackend> store_;
  Runtime& runtime_;
};

std::optional<journal::ClientChange::Run> run_of(const reference::Request& request) {
  if (const auto* one = std::get_if<reference::TriggerSchedule>(&request))
    return journal::ClientChange::Run{one->schedule, one->run};
  if (const auto* some = std::get_if<reference::BackfillSchedule>(&request))
    return journal::ClientChange::Run{some->schedule, some->run};
  return std::nullopt;
}

// Of an edit. A manual run is answered with the latest edit, which is not its own.
std::optional<std::uint64_t> change_seq_of(const reference::Request& request, const reference::Reply& reply) {
  if (run_of(request)) return std::nullopt;
  if (const auto* edited = std::get_if<reference::Edited>(&reply)) return edited->change_seq;
  if (const auto* edited = std::get_if<reference::NamedEdited>(&reply)) return edited->change_seq;
  return std::nullopt;
}

}  // namespace

std::optional<journal::ClientChange> client_change(const reference::Request& request, const Answer& answer,
                                                   MonoTime asked) {
  if (!journal::clients_change_with(request)) return std::nullopt;
  journal::ClientChange change{.kind = request.index(),
                               .resource = std::visit([](const auto& one) { return one.resource; }, request),
                               .run = run_of(request)};
  if (answer.outcome == RequestOutcome::unknown) {
    change.asked = asked;
    return change;
  }
  if (answer.outcome == RequestOutcome::rejected || !answer.changed) return std::nullopt;
  change.done =
      journal::ClientChange::Done{answer.store_time, answer.position, change_seq_of(request, answer.reply)};
  return change;
}

Connect told(Connect connect, Runtime& runtime) {
  return [connect = std::move(connect), &runtime](Duration within) -> ConnectionOpened {
    ConnectionOpened opened = connect(within);
    if (auto* store = std::get_if<std::unique_ptr<StoreBackend>>(&opened))
      *store = std::make_unique<JournalingStore>(std::move(*store), runtime);
    return opened;
  };
}

}  // namespace tenure
