#include "lab/hunt/throwing_checks.h"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>

#include "core/base/host_failure.h"

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

std::optional<std::string> broken_invariant_in(const std::function<void()>& work) {
  try {
    work();
  } catch (const HostFailure&) {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace tenure::lab
