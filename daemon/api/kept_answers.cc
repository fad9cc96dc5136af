#include "daemon/api/kept_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "daemon/http/target.h"

namespace tenure::daemon {
namespace {

using std::chrono::seconds;

constexpr std::string_view kMaxAge = "max-age=";
constexpr std::size_t kBytesBeside = 256;  // what an answer takes beside its texts, about
constexpr std::size_t kMostOfAll = 16;     // one answer takes no more than this part of the bytes

// Of one directive; nullopt: it is another one, or says no number.
std::optional<seconds> max_age(std::string_view directive) {
  if (!directive.starts_with(kMaxAge)) return std::nullopt;
  directive.remove_prefix(kMaxAge.size());
  std::int32_t age = 0;
  const auto [end, error] = std::from_chars(directive.data(), directive.data() + directive.size(), age);
  if (error != std::errc{} || end != directive.data() + directive.size() || age < 0) return std::nullopt;
  return seconds{age};
}

}  // namespace

std::optional<seconds> KeptAnswers::age_taken(const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  // What these ask for is no plain answer.
  if (request.has_field("if-none-match") || request.has_field("last-event-id") ||
      request.field("accept").find("text/event-stream") != std::string_view::npos)
    return std::nullopt;
  std::string said;  // several fields are one list
  for (const HttpField& field : request.fields)
    if (field.name == "cache-control") said += lower_case(field.value) + ",";
  std::optional<seconds> age;
  for (std::string_view rest = said; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view directive = trimmed(rest.substr(0, comma));
    if (directive == "no-cache" || directive == "no-store") return std::nullopt;
    if (const auto said_age = max_age(directive)) age = std::min(*said_age, age.value_or(seconds::max()));
    rest = rest.substr(comma + 1);
  }
  return age == seconds{0} ? std::nullopt : age;
}

// A line break stands in no path, no query and no actor.
std::string KeptAnswers::key_of(const Call& call) {
  const Caller& caller = call.caller;
  return fmt::format("{}?{}\n{}\n{}{}{}{}", call.request.path, call.request.query, caller.actor, caller.read,
                     caller.write, caller.admin, caller.prefix);
}

std::optional<HttpResponse> KeptAnswers::find(const std::string& key, seconds age, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(key);
  if (kept == kept_.end() || now - kept->second.asked_at > age) return std::nullopt;
  HttpResponse response = kept->second.response;
  const auto old = std::chrono::ceil<seconds>(now - kept->second.asked_at);
  response.fields.push_back({"Age", fmt::format("{}", old.count())});
  return response;
}

void KeptAnswers::keep(const std::string& key, const HttpResponse& response, Clock::time_point asked_at) {
  if (response.status != 200 || response.begin_stream || response.not_taken) return;
  std::size_t bytes = kBytesBeside + 2 * key.size() + response.body.size();
  for (const HttpField& field : response.fields) bytes += field.name.size() + field.value.size();
  if (bytes > most_bytes_ / kMostOfAll) return;
  const std::lock_guard lock(mutex_);
  if (const auto before = kept_.find(key); before != kept_.end()) {
    if (before->second.asked_at >= asked_at) return;
    forget(before);
  }
  while (bytes_ + bytes > most_bytes_) forget(kept_.find(by_number_.begin()->second));
  kept_.emplace(key, KeptAnswer{response, asked_at, bytes, ++last_});
  by_number_.emplace(last_, key);
  bytes_ += bytes;
}

void KeptAnswers::forget(std::map<std::string, KeptAnswer>::iterator kept) {
  bytes_ -= kept->second.bytes;
  by_number_.erase(kept->second.number);
  kept_.erase(kept);
}

}  // namespace tenure::daemon
