// Parameters and results of a statement, in the types of the core.
//
// Everything travels as text. Times are microseconds. An unsigned 64-bit number travels as the signed number with the
// same bits.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"

struct pg_result;

namespace tenure::postgres {

inline constexpr std::int64_t kMicro = 1'000;

constexpr std::int64_t micros(StoreTime time) { return time.ns() / kMicro; }
constexpr std::int64_t micros(Duration duration) { return duration.ns() / kMicro; }
constexpr StoreTime store_time(std::int64_t us) { return StoreTime{} + Duration::micros(us); }

// The same bits: Postgres' integers are signed.
constexpr std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// $1, $2, … in the order in which they are added.
class Params {
 public:
  Params& add(std::int64_t value);
  Params& add(std::uint32_t value) { return add(std::int64_t{value}); }
  Params& add(bool value);
  Params& add(StoreTime value) { return add(micros(value)); }
  Params& add(std::string value);
  Params& add(const std::vector<std::int64_t>& values);
  Params& add(const std::vector<std::string>& values);

  std::vector<const char*> pointers() const;

 private:
  std::vector<std::string> values_;
};

// One row, read field by field from the left. Throws Failure when the row is not as expected.
class ResultRow {
 public:
  explicit ResultRow(std::shared_ptr<pg_result> result) : result_(std::move(result)) {}

  bool null() const;       // whether the next field is null; does not read it
  std::int64_t integer();  // 0 if null
  std::uint64_t natural() { return as_unsigned(integer()); }
  std::uint32_t small() { return static_cast<std::uint32_t>(integer()); }
  bool flag();
  StoreTime time() { return store_time(integer()); }
  std::string_view text();  // empty if null
  // Lists: empty if null.
  std::vector<std::int64_t> integers();
  std::vector<std::string> texts();

 private:
  std::shared_ptr<pg_result> result_;
  int field_ = 0;
};

}  // namespace tenure::postgres
