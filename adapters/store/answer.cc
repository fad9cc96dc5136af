#include "adapters/store/answer.h"

#include <utility>

#include "core/base/check.h"

namespace tenure {
namespace {

// What a protocol is told: it does the same about every cause.
Rejection rejection_of(Trouble trouble) {
  if (trouble == Trouble::not_permitted) return Rejection::not_permitted;
  return trouble == Trouble::busy || trouble == Trouble::full ? Rejection::overloaded
                                                              : Rejection::unreachable;
}

}  // namespace

std::string_view name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::none: return "none";
    case Trouble::busy: return "busy";
    case Trouble::unreachable: return "unreachable";
    case Trouble::lost: return "lost";
    case Trouble::not_permitted: return "not permitted";
    case Trouble::read_only: return "read only";
    case Trouble::wrong_schema: return "wrong schema";
    case Trouble::full: return "full";
    case Trouble::corrupt: return "corrupt";
    case Trouble::failed: return "failed";
  }
  return "";
}

Answer rejected(Trouble trouble, std::string message) {
  CHECK(trouble != Trouble::none);
  Answer answer;
  answer.outcome = Outcome::rejected;
  answer.rejection = rejection_of(trouble);
  answer.trouble = trouble;
  answer.message = std::move(message);
  return answer;
}

Answer unknown(Trouble trouble, std::string message) {
  CHECK(trouble != Trouble::none);
  Answer answer;
  answer.outcome = Outcome::unknown;
  answer.trouble = trouble;
  answer.message = std::move(message);
  return answer;
}

}  // namespace tenure
