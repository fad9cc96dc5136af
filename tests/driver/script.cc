#include "tests/driver/host_under_test.h"

namespace tenure::testing {

void Script::step(const Input& input, Env& env) {
  if (const auto* started = std::get_if<Started>(&input)) who = started->self;
  if (recording) heard.push_back({who, env.clock.mono(), input});
  const Act now = act;  // it may put another in its own place
  now(input, env);
}

void Script::ask(Env& env, Duration within, Part part) {
  const reference::Acquire asked{.resource = {},
                                 .holder = who,
                                 .epoch_seen = 0,
                                 .nonce = ids.size() + 1,
                                 .duration = Duration::seconds(1)};
  ids.push_back(env.store.submit({.store = {},
                                  .part = part,
                                  .request = reference::Request{asked},
                                  .deadline = env.clock.mono() + within}));
}

std::uint64_t number_in(const Request& request) {
  return std::get<reference::Acquire>(std::get<reference::Request>(request)).nonce;
}

}  // namespace tenure::testing
