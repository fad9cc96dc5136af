// Which parameters of a part are which times, for those who judge whether its environment is too slow for its settings.
// Only a kind that says so has such times: another one may have a parameter of the same name that means something else.
//
// Thread rule: values.
#pragma once

#include <string_view>

namespace tenure {

// Names of parameters; empty: the part has none of the sort.
struct TimingNames {
  std::string_view renew_deadline = {};  // a renewal that takes longer is given up, and leadership with it
  std::string_view lock = {};            // for so long a lock stands from when the store has written it; and
  std::string_view poll_period = {};     // so long after an answer its holder asks again
  std::string_view hold_time = {};       // a token stays for so long with each instance; and
  std::string_view token_timeout = {};   // an instance that has waited for so long makes a new one
  std::string_view ack_timeout = {};     // a message that is not acknowledged by then is sent again,
  std::string_view ack_retries = {};     // so many times
  std::string_view stall_timeout = {};   // a leader that gets nothing done for so long steps aside
};

}  // namespace tenure
