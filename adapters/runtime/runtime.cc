#include "adapters/runtime/runtime.h"

#include <fmt/format.h>

#include <utility>

#include "adapters/runtime/linux_platform.h"
#include "adapters/runtime/loop.h"

namespace tenure {

void say_on_stderr(std::string_view words) { fmt::print(stderr, "tenure: {}\n", words); }

Runtime::Runtime(JournalSink journal, TroubleSink troubles, ClockError clock_error) {
  auto platform = std::make_unique<LinuxPlatform>(clock_error);
  clock_ = &platform->clock();
  loop_ = std::make_shared<RuntimeLoop>(std::move(journal), std::move(troubles), std::move(platform));
  loop_->launch();
}

Runtime::~Runtime() { loop_->end(); }

const MachineClock& Runtime::clock() const { return *clock_; }

Incarnation Runtime::add(HostedNode node) { return loop_->add(std::move(node)); }

void Runtime::listen(std::unique_ptr<Listener> listener) { loop_->listen(std::move(listener)); }

void Runtime::stop() {
  loop_->stop([](Incarnation) { return true; });
}

void Runtime::stop(NodeId node) {
  loop_->stop([node](Incarnation who) { return who.node == node; });
}

void Runtime::stop(Incarnation life) {
  loop_->stop([life](Incarnation who) { return who == life; });
}

bool Runtime::wait(Duration timeout) { return loop_->wait(timeout); }

void Runtime::tell(journal::ClientChange change) { loop_->tell(std::move(change)); }

}  // namespace tenure
