#include "adapters/lua/task_stack.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cfenv>
#include <cstdint>
#include <new>

#include "core/base/check.h"

namespace tenure::lua {
namespace {

// Lua calls functions in C within each other at most 220 deep. None of them takes 4 KB. Of memory a stack has what it
// has touched, and that is two pages for most.
constexpr std::size_t kBytes = std::size_t{1} << 20U;
// Below it: nobody goes on past its end.
constexpr std::size_t kGuard = std::size_t{64} << 10U;

}  // namespace

struct TaskStack::Contexts {
  ucontext_t here;    // of the body, while it waits
  ucontext_t caller;  // of who runs it, while it does
};

TaskStack::TaskStack() : contexts_(std::make_unique<Contexts>()) {
  memory_ = mmap(nullptr, kGuard + kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(memory_, kGuard, PROT_NONE) != 0) {
    munmap(memory_, kGuard + kBytes);
    throw std::bad_alloc();
  }
}

TaskStack::~TaskStack() { munmap(memory_, kGuard + kBytes); }

void TaskStack::begin(Body body, void* argument) {
  body_ = body;
  argument_ = argument;
  over_ = false;
  CHECK(getcontext(&contexts_->here) == 0, "a context is memory");
  ucontext_t& here = contexts_->here;
  here.uc_stack.ss_sp = static_cast<char*>(memory_) + kGuard;
  here.uc_stack.ss_size = kBytes;
  here.uc_link = nullptr;
  // makecontext hands over nothing wider than an int.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&contexts_->here, reinterpret_cast<void (*)()>(&TaskStack::start), 2,
              static_cast<unsigned>(self >> 32U), static_cast<unsigned>(self));
  enter();
}

void TaskStack::start(unsigned high, unsigned low) {
  auto* const self = reinterpret_cast<TaskStack*>((std::uintptr_t{high} << 32U) | low);
  self->body_(self->argument_);
  self->over_ = true;
  self->wait();
}

void TaskStack::go_on() {
  CHECK(!over_, "a body that is over does not go on");
  enter();
}

void TaskStack::enter() {
  made_no_number_ = false;
  CHECK(swapcontext(&contexts_->caller, &contexts_->here) == 0, "a switch needs no memory");
  if (made_no_number_) std::feraiseexcept(FE_INVALID);
}

void TaskStack::wait() {
  made_no_number_ = std::fetestexcept(FE_INVALID) != 0;
  CHECK(swapcontext(&contexts_->here, &contexts_->caller) == 0, "a switch needs no memory");
}

}  // namespace tenure::lua
