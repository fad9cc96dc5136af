#include "adapters/postgres/params.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>

#include "adapters/postgres/failure.h"

namespace tenure::postgres {
namespace {

[[noreturn]] void not_understood(std::string_view what) {
  throw PostgresFailure{PostgresStage::lost, kNoSense,
                        fmt::format("an answer that makes no sense: `{}`", what)};
}

// The elements of `{1,2,"a \"b\""}`.
std::vector<std::string> elements(std::string_view text) {
  std::vector<std::string> found;
  if (text.empty() || text == "{}") return found;
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') not_understood(text);
  bool quoted = false;
  found.emplace_back();
  std::size_t plain = 1;  // from here on, what has been seen stands for itself
  const auto take_plain = [&](std::size_t end) { found.back().append(text.substr(plain, end - plain)); };
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c != '\\' && c != '"' && (c != ',' || quoted)) continue;
    take_plain(i);
    plain = i + 1;
    if (c == '\\')
      ++i;  // what follows it is plain, whatever it is
    else if (c == '"')
      quoted = !quoted;
    else
      found.emplace_back();
  }
  take_plain(text.size() - 1);
  return found;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) not_understood(text);
  return value;
}

}  // namespace

Params& Params::add_text(std::string_view value) {
  values_.emplace_back(value);
  return *this;
}
Params& Params::add(const Numbers& values) {
  values_.push_back(fmt::format("{{{}}}", fmt::join(values, ",")));
  return *this;
}

Params& Params::add(const Texts& values) {
  std::string list = "{";
  for (const std::string& value : values) {
    list += list.size() > 1 ? ",\"" : "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') list += '\\';
      list += c;
    }
    list += '"';
  }
  values_.push_back(list + "}");
  return *this;
}

std::vector<const char*> Params::pointers() const {
  std::vector<const char*> pointers;
  pointers.reserve(values_.size());
  for (const std::string& value : values_) pointers.push_back(value.c_str());
  return pointers;
}

bool ResultRow::null() const { return PQgetisnull(result_.get(), 0, field_) == 1; }

std::string_view ResultRow::text() {
  if (PQntuples(result_.get()) != 1 || field_ >= PQnfields(result_.get())) not_understood("no such field");
  const int field = field_++;
  return {PQgetvalue(result_.get(), 0, field),
          static_cast<std::size_t>(PQgetlength(result_.get(), 0, field))};
}

std::int64_t ResultRow::integer() {
  const std::string_view value = text();
  return value.empty() ? 0 : number(value);
}

bool ResultRow::flag() { return text() == "t"; }

Numbers ResultRow::integers() {
  Numbers numbers;
  const std::string_view list = text();
  if (list.size() < 2 || list == "{}") return numbers;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data() + 1;; ++at) {
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || after == end || (*after != ',' && *after != '}')) not_understood(list);
    numbers.push_back(value);
    if (*after == '}') return numbers;
    at = after;
  }
}

Texts ResultRow::texts() { return elements(text()); }

}  // namespace tenure::postgres
