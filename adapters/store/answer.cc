#include "adapters/store/answer.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"

namespace tenure {
namespace {

// What a protocol is told: it does the same about every cause.
Rejection rejection_of(StoreError trouble) {
  if (trouble == StoreError::not_permitted) return Rejection::not_permitted;
  return trouble == StoreError::busy || trouble == StoreError::full ? Rejection::overloaded
                                                                    : Rejection::unreachable;
}

}  // namespace

std::string_view name_of(StoreError trouble) {
  switch (trouble) {
    case StoreError::none: return "none";
    case StoreError::busy: return "busy";
    case StoreError::unreachable: return "unreachable";
    case StoreError::lost: return "lost";
    case StoreError::no_answer: return "no answer";
    case StoreError::not_permitted: return "not permitted";
    case StoreError::read_only: return "read only";
    case StoreError::wrong_schema: return "wrong schema";
    case StoreError::full: return "full";
    case StoreError::corrupt: return "corrupt";
    case StoreError::other_store: return "other store";
    case StoreError::failed: return "failed";
  }
  return "";
}

std::optional<OpenError> other_store(const std::string& place, const std::string& known,
                                     const std::string& found) {
  if (known.empty() || known == found) return std::nullopt;
  return OpenError{
      StoreError::other_store,
      fmt::format("{}: this is not the same store as before: its identity is {}, and was {}. Leases and "
                  "fires of one store mean nothing in the other: go back to the first, or restart this "
                  "program",
                  place, found, known)};
}

Answer rejected(StoreError trouble, std::string message) {
  CHECK(trouble != StoreError::none);
  Answer answer;
  answer.outcome = RequestOutcome::rejected;
  answer.rejection = rejection_of(trouble);
  answer.trouble = trouble;
  answer.message = std::move(message);
  return answer;
}

Answer unknown(StoreError trouble, std::string message) {
  CHECK(trouble != StoreError::none);
  Answer answer;
  answer.outcome = RequestOutcome::unknown;
  answer.trouble = trouble;
  answer.message = std::move(message);
  return answer;
}

}  // namespace tenure
