// The engines that are held against the machine: an explicit table, one row each.
//
// Thread rule: immutable; a Database may be connected to from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/store/store_backend.h"

namespace tenure::conformance {

enum class ClockGoes : std::uint8_t { up, up_and_back };

// Of a clock for several clients: reading `n` of it, in microseconds since any time.
constexpr std::int64_t clock_reading(std::int64_t n, ClockGoes clock) {
  const bool behind = clock == ClockGoes::up_and_back && n % 400 >= 200;
  return n * 9'973 - (behind ? 3'000'000 : 0);
}

// A fresh, empty database; gone with its object.
class Database {
 public:
  virtual ~Database() = default;
  // Another connection, which asks `clock` for the store's time. An engine whose clock cannot be set does not ask; what
  // it echoes counts. Fails the test when there is none to be had.
  virtual std::unique_ptr<StoreBackend> connect(std::function<StoreTime()> clock) = 0;
  // What is written from now on is on `branch`. False: the engine cannot be told.
  virtual bool promote(std::uint32_t branch) = 0;
  // A transaction of somebody else that holds what writers need, until it is destroyed.
  virtual std::shared_ptr<void> stalled_writer() = 0;
  // The engine is about to end all connections, at any moment until this is destroyed. Null: it has none to end.
  virtual std::shared_ptr<void> killer() { return nullptr; }
  // How long a request behind it is given: enough for one that is not.
  virtual Duration patience() const { return Duration::millis(1); }
  // True: `clock` is asked within the transaction, so that it can be seen that the locks come first. False: before it.
  virtual bool reads_the_clock_itself() const { return true; }
  // As connect(), for one of several clients at the same time; an engine that cannot read `clock` itself has one of its
  // own that does the same.
  virtual std::unique_ptr<StoreBackend> connect_beside_others(std::function<StoreTime()> clock, ClockGoes) {
    return connect(std::move(clock));
  }
};

struct Engine {
  std::string_view name;
  std::unique_ptr<Database> (*make)();
  // One change after the other, whatever it is, and each has the next position. False: leases and schedules are changed
  // side by side; the positions of each go up, and those of both order what matters to both.
  bool one_by_one = true;
};

std::span<const Engine> engines();

}  // namespace tenure::conformance
