// Redis 7, as far as locks need it: README.md beside this file has what it does, and from where that is known.
//
//   I1. A key's end is an instant of the server's wall clock, in whole milliseconds. Nothing counts down: who moves the
//       clock, or promotes a replica with another one, moves every end.
//   I2. A key is there through the millisecond of its end, and gone after it.
//   I3. A request sees no key whose end has passed, and deletes all of them. A clock that goes back brings none back.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/machine_of.h"
#include "sim/stores/redis/requests.h"

namespace tenure::redis {

class RedisStore final : public PlainStore<RedisStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  template <class Asked>
  Reply answer(const Asked& asked, StoreTime now) {
    return answer(asked, without_what_has_ended(now));
  }

 private:
  struct Entry {
    std::string value;
    std::optional<std::int64_t> ends_ms;  // since the Unix epoch
  };

  // Deletes them (I3), and gives the server's time in milliseconds.
  std::int64_t without_what_has_ended(StoreTime now);

  Reply answer(const Set& asked, std::int64_t now_ms);
  Reply answer(const Get& asked, std::int64_t now_ms);
  Reply answer(const Del& asked, std::int64_t now_ms);
  Reply answer(const Pexpire& asked, std::int64_t now_ms);
  Reply answer(const Pttl& asked, std::int64_t now_ms);
  Reply answer(const CompareAndDelete& asked, std::int64_t now_ms);
  Reply answer(const CompareAndExtend& asked, std::int64_t now_ms);
  bool has(const std::string& key, const std::string& value) const;

  std::map<std::string, Entry> entries_;
};

}  // namespace tenure::redis
