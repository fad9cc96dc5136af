// Reads one object of a body: says what is wrong with it, all of it, each with its place.
//
// A key that is not given, or is wrong, reads as nullopt; if it is wrong, an error says so.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "daemon/api/call.h"

namespace tenure::daemon {

class BodyReader {
 public:
  // `pointer`: of the object, in the body; "" is the whole. REQUIRES: all three outlive the reader.
  BodyReader(const Json& object, std::string pointer, std::vector<FieldError>& errors);

  bool has(std::string_view key) const { return object_.is_object() && object_.contains(key); }
  const Json* find(std::string_view key);
  std::optional<std::string> text(std::string_view key);
  // One that the store keeps: of so many bytes at most, and without control characters but line breaks and tabs.
  std::optional<std::string> kept_text(std::string_view key, std::size_t bytes);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::int64_t> whole_number(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<Duration> duration(std::string_view key, Duration min, Duration max = kLongest);
  static constexpr Duration kLongest = Duration::hours(365 * 24);
  // `value`, which `given` says, if it is within the bounds.
  std::optional<Duration> bounded(std::string_view key, Duration value, const std::string& given,
                                  Duration min, Duration max = kLongest);
  // In whole microseconds.
  std::optional<StoreTime> instant(std::string_view key);
  std::optional<std::vector<StoreTime>> instants(std::string_view key, std::size_t max);
  std::optional<std::vector<std::string>> texts(std::string_view key, std::size_t max);
  // Its place among the words.
  std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> words);

  void complain(std::string_view key, std::string message, std::string hint = {});
  void complain_at(std::string pointer, std::string message, std::string hint = {});
  // Of a part of a text.
  void complain_within(std::string_view key, const std::string& text, std::size_t at, std::size_t length,
                       std::string message, std::string hint);
  std::string pointer_to(std::string_view key) const;
  // Complains of keys that nobody asked for.
  void finish();

 private:
  std::optional<StoreTime> instant_of(const std::string& pointer, const Json& value);

  const Json& object_;
  const std::string pointer_;
  std::vector<FieldError>& errors_;
  std::vector<std::string_view> known_;
};

// What `read` makes of the call's body. Throws HttpProblem with all that is wrong with it.
template <class Read>
auto read_body(const Call& call, const Read& read) {
  const Json body = call.body();
  std::vector<FieldError> errors;
  BodyReader reader(body, "", errors);
  auto got = read(reader);
  reader.finish();
  if (!errors.empty()) throw invalid("the body is not as it should be", std::move(errors));
  return got;
}

}  // namespace tenure::daemon
