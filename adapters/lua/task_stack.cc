#include "adapters/lua/task_stack.h"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cfenv>
#include <cstddef>
#include <new>

#include "core/base/check.h"

namespace tenure::lua {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// Lua calls functions in C within each other at most 220 deep. None of them takes 4 KB. Of memory a stack has what it
// has touched, and that is two pages for most.
constexpr std::size_t kBytes = std::size_t{1} << 20U;
// Below it: nobody goes on past its end.
constexpr std::size_t kGuard = std::size_t{64} << 10U;

}  // namespace

struct TaskStack::Switch {
  static void start(transfer_t from) {
    auto* const self = static_cast<TaskStack*>(from.data);
    self->caller_ = from.fctx;
    self->body_(self->argument_);
    self->over_ = true;
    self->wait();
  }
};

TaskStack::TaskStack() {
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
  here_ = make_fcontext(static_cast<char*>(memory_) + kGuard + kBytes, kBytes, &Switch::start);
  enter();
}

void TaskStack::go_on() {
  CHECK(!over_, "a body that is over does not go on");
  enter();
}

void TaskStack::enter() {
  made_no_number_ = false;
  here_ = jump_fcontext(here_, this).fctx;
  if (made_no_number_) std::feraiseexcept(FE_INVALID);
}

void TaskStack::wait() {
  made_no_number_ = std::fetestexcept(FE_INVALID) != 0;
  caller_ = jump_fcontext(caller_, nullptr).fctx;
}

}  // namespace tenure::lua
