#include "adapters/postgres/redact_secrets.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

namespace tenure::postgres {
namespace {

constexpr std::string_view kMask = "…";
constexpr std::string_view kEncode =
    "in a URI an @ in a name or a password is written %40, a / %2F, a : %3A, a % %25";

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

bool is_uri(std::string_view conninfo) {
  return conninfo.starts_with("postgres://") || conninfo.starts_with("postgresql://");
}

bool only_has(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || more.find(c) != std::string_view::npos;
  });
}

bool is_plain(std::string_view text) { return !text.empty() && only_has(text, "._-"); }
bool is_path(std::string_view text) { return text.starts_with('/') && only_has(text, "/._-"); }
// In numbers, and with the zone of one that is valid on a link alone.
bool is_address(std::string_view text) {
  const std::size_t zone = std::min(text.find('%'), text.size());
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zone),
                     [](char c) {
                       return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '.';
                     }) &&
         (zone == text.size() || is_plain(text.substr(zone + 1)));
}
bool is_host(std::string_view text) {
  const bool abstract = text.starts_with('@') && only_has(text.substr(1), "/._-");
  return is_plain(text) || is_path(text) || is_address(text) || abstract;
}

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts(1);
  for (const char c : list) c == ',' ? parts.emplace_back() : parts.back() += c;
  return parts;
}

// How many letters differ between two words.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// A keyword of libpq's that is nearly `unknown`; which itself may be a part of a password.
std::string near(std::string_view unknown) {
  const Options all(PQconndefaults(), PQconninfoFree);
  for (const PQconninfoOption* one = all.get(); one != nullptr && one->keyword != nullptr; ++one)
    if (unknown.size() > 2 && distance(unknown, one->keyword) <= 2) return one->keyword;
  return {};
}

struct Reading {
  std::string_view says;  // in the words of libpq
  std::string_view means;
};
constexpr std::array kReadings = {
    Reading{"missing \"=\"", "a word has no =; put a value with spaces in single quotes"},
    Reading{"unterminated quoted", "a single quote is not closed; one within a value is written \\'"},
    Reading{"percent-encoded", "a % is not followed by two hexadecimal digits; a % itself is written %25"},
    Reading{"%00", "%00 is not allowed"},
    Reading{"key/value separator", "what follows the ? must be of the form key=value&key=value"},
    Reading{"unexpected character", "there is another character where a : or a / should be"},
    Reading{"matching \"]\"", "a [ is not closed"},
    Reading{"IPv6", "there is no address between [ and ]"},
};

}  // namespace

std::string unreadable(const std::string& libpq_says) {
  for (const Reading& one : kReadings)
    if (libpq_says.find(one.says) != std::string::npos) return std::string(one.means);
  const std::size_t quoted = libpq_says.find('"');
  const bool option =
      libpq_says.starts_with("invalid connection option") || libpq_says.starts_with("invalid URI query");
  if (!option || quoted == std::string::npos) return "libpq cannot read it";
  const std::string meant =
      near(libpq_says.substr(quoted + 1, libpq_says.find('"', quoted + 1) - quoted - 1));
  if (meant.empty())
    return "it has an option that libpq does not know; put a value with spaces in single quotes";
  return fmt::format("it has an option that libpq does not know; did you mean \"{}\"?", meant);
}

std::string misread(const std::string& conninfo) {
  if (is_uri(conninfo)) {
    const std::string_view all = std::string_view(conninfo).substr(conninfo.find("://") + 3);
    const std::string_view place = all.substr(0, all.find('?'));
    const std::size_t slash = place.find('/'), last = place.rfind('@');
    if (last != std::string_view::npos && (place.find('@') != last || slash < last))
      return fmt::format("it has an @ or a / too many: {}", kEncode);
  }
  const bool has_options =
      conninfo.find('=') != std::string::npos || conninfo.find("://") != std::string::npos;
  const Options options(has_options ? PQconninfoParse(conninfo.c_str(), nullptr) : nullptr, PQconninfoFree);
  const auto value_of = [&](std::string_view keyword, const char* variable) -> std::string {
    for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr; ++one)
      if (one->keyword == keyword && one->val != nullptr) return one->val;
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
  };
  for (const std::string& host : parts_of(value_of("host", "PGHOST")))
    if (!is_host(host)) return fmt::format("its host is not a valid host; {}", kEncode);
  for (const std::string& address : parts_of(value_of("hostaddr", "PGHOSTADDR")))
    if (!is_address(address)) return "its hostaddr is not an address";
  for (const std::string& port : parts_of(value_of("port", "PGPORT")))
    if (!std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return fmt::format("its port is not a number; {}", kEncode);
  return {};
}

SecretRedactor::SecretRedactor(const std::string& conninfo) {
  const bool has_options =
      conninfo.find('=') != std::string::npos || conninfo.find("://") != std::string::npos;
  if (!has_options && is_plain(conninfo)) known_.insert(conninfo);
  const auto take = [this](const PQconninfoOption* one) {
    for (; one != nullptr && one->keyword != nullptr; ++one) {
      if (one->val == nullptr) continue;
      const std::string_view keyword = one->keyword;
      if (keyword.find("password") != std::string_view::npos) secrets_.emplace_back(one->val);
      for (const char* named : {"host", "hostaddr", "port", "dbname", "user", "service", "passfile",
                                "sslcert", "sslkey", "sslrootcert", "sslcrl"})
        if (keyword == named)
          for (const std::string& part : parts_of(one->val))
            if (is_plain(part) || is_path(part) || (keyword.starts_with("host") && is_host(part)))
              known_.insert(part);
    }
  };
  const Options defaults(PQconndefaults(), PQconninfoFree);
  take(defaults.get());
  const Options options(has_options ? PQconninfoParse(conninfo.c_str(), nullptr) : nullptr, PQconninfoFree);
  take(options.get());
}

void SecretRedactor::learn(std::string_view host, std::string_view database) {
  if (is_host(host)) known_.emplace(host);
  if (is_plain(database)) known_.emplace(database);
}

std::string SecretRedactor::name(std::string_view value) const {
  if (value.empty() || known_.contains(std::string(value))) return std::string(value);
  const std::size_t socket = value.find("/.s.PGSQL.");
  const bool of_socket = socket != std::string_view::npos && only_has(value.substr(socket), "/._-") &&
                         (known_.contains(std::string(value.substr(0, socket))) ||
                          value.starts_with("/var/run/") || value.starts_with("/tmp/"));
  return of_socket && is_path(value) ? std::string(value) : std::string(kMask);
}

std::string SecretRedactor::clean(std::string_view message) const {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kQuotes = {
      {{"\"", "\""}, {"«", "»"}, {"“", "”"}, {"„", "“"}}};
  std::string text;
  while (!message.empty()) {
    const auto quote = std::find_if(kQuotes.begin(), kQuotes.end(),
                                    [&](const auto& q) { return message.starts_with(q.first); });
    if (quote == kQuotes.end()) {
      text += message.front();
      message.remove_prefix(1);
      continue;
    }
    message.remove_prefix(quote->first.size());
    // To the last one of this sentence, since what is quoted may have quotes in it.
    const std::size_t sentence =
        std::min(message.find('\n'), message.find(": ", message.find(quote->second)));
    const std::size_t first = message.find(quote->second);
    std::size_t end = first;
    if (first != std::string_view::npos && name(message.substr(0, first)) == kMask)
      end = message.substr(0, sentence).rfind(quote->second);
    text.append(quote->first)
        .append(name(message.substr(0, std::min(end, message.size()))))
        .append(quote->second);
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + quote->second.size());
  }
  for (const std::string& secret : secrets_)
    for (std::size_t at = 0; secret.size() > 2 && (at = text.find(secret, at)) != std::string::npos;)
      text.replace(at, secret.size(), kMask);
  return text;
}

}  // namespace tenure::postgres
