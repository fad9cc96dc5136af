#include "lab/hunt/throwing_checks.h"

#include <fmt/format.h>

#include <stdexcept>

namespace tenure::lab {
namespace {

[[noreturn]] void throw_failure(const CheckFailure& failure) {
  throw std::logic_error(fmt::format("{}:{}: CHECK({}) failed{}{}", failure.file, failure.line,
                                     failure.expression, failure.message.empty() ? "" : ": ",
                                     failure.message));
}

}  // namespace

void make_checks_throw() { set_check_handler(throw_failure); }

ThrowingChecks::ThrowingChecks() : before_(set_check_handler(throw_failure)) {}

ThrowingChecks::~ThrowingChecks() { set_check_handler(before_); }

}  // namespace tenure::lab
