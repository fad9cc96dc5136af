// What real stores do not know yet: refused in words, and never done by halves.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <type_traits>
#include <variant>

#include "adapters/store/answer.h"
#include "core/base/one_of.h"
#include "core/store/reference/requests.h"

namespace tenure {

template <class Asked>
inline constexpr bool kNotYet =
    kIsOneOf<Asked, reference::ReadHistory, reference::ReadWaiting, reference::ReadDepths,
             reference::ClaimExecutions, reference::ExtendExecutions, reference::EndExecutions,
             reference::RegisterNode, reference::ReadNodes>;

inline std::optional<Answer> refuse_what_is_not_yet(const reference::Request& request) {
  const auto refuse = [](const auto& asked) {
    if constexpr (requires { asked.definition; })
      return asked.definition.delivery != Delivery{};
    else
      return kNotYet<std::decay_t<decltype(asked)>>;
  };
  if (!std::visit(refuse, request)) return std::nullopt;
  return rejected(StoreError::failed,
                  "this kind of store knows neither executions, deliveries, history nor registrations yet");
}

}  // namespace tenure
