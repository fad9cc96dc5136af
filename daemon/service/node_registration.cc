#include "daemon/service/node_registration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "adapters/runtime/entropy.h"

namespace tenure::daemon {
namespace {

std::string name_of_this() {
  std::array<char, 65> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return fmt::format("process {}", getpid());
  return fmt::format("{}, process {}", host.data(), getpid());
}

}  // namespace

NodeRegistration::NodeRegistration(StorePool& pool, ResourceId resource, const Logger& log,
                                   std::function<void(const Answer&)> answered)
    : pool_(pool),
      log_(log),
      answered_(std::move(answered)),
      asked_{resource, fmt::format("{:016x}{:016x}", random_bits(), random_bits()), name_of_this()} {}

void NodeRegistration::tick() {
  const bool due = !registered_ || seconds_ % kEverySeconds == 0;
  ++seconds_;
  if (!due || asking_.exchange(true)) return;
  const bool taken = pool_.submit([this](PooledStore& store) {
    ask(store);
    asking_ = false;
  });
  if (!taken) asking_ = false;
}

void NodeRegistration::ask(PooledStore& store) {
  const Answer answer = store.ask(asked_);
  if (registered_) return;
  answered_(answer);
  if (const auto* given = std::get_if<reference::NodeRegistered>(&answer.reply);
      given != nullptr && answer.outcome == RequestOutcome::applied) {
    registered_ = true;
    log_.say(Level::info, "registered", {{"node", fmt::format("{}", given->node.value)}});
  } else if (refused_++ % kEverySeconds == 0) {
    log_.say(Level::warning,
             fmt::format("cannot register with the store, and asks again: {}", answer.message));
  }
}

}  // namespace tenure::daemon
