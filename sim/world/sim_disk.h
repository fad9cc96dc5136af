// The disk of one machine: what was written, and what of it survives the end of a life.
//
//   I1. Of the writes that are not synced, a crash keeps the first few: how many is drawn, none and all included.
//   I2. A process that stops by itself loses nothing, and its machine writes it down.
//   I3. It holds kRoom bytes. As operating systems do, it writes the oldest down by itself when much waits.
//
// Thread rule: one disk belongs to one run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "core/model/env.h"
#include "sim/kernel/keyed_rng.h"

namespace tenure::sim {

class SimDisk final : public Disk {
 public:
  static constexpr std::size_t kRoom = 1U << 20;
  static constexpr std::size_t kMostUnsynced = 1'000;

  std::uint64_t put(const std::string& key, const std::string& value) override;
  std::optional<std::string> get(const std::string& key) const override;
  std::map<std::string, std::string> contents() const override;
  void sync(std::uint64_t write) override;

  // The life is over. Returns how many writes were lost.
  std::size_t crash(const KeyedRng& rng);
  void stop() { sync(written_); }

 private:
  struct Write {
    std::string key;
    std::string value;
  };
  void write_down_oldest();

  std::map<std::string, std::string> safe_;
  std::deque<Write> unsynced_;
  std::uint64_t written_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tenure::sim
