#include "daemon/http/target.h"

#include "core/base/readable_text.h"

namespace tenure::daemon {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text[at] == '\0' ? 0 : utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '%') {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[at + 1]);
      const int low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      decoded += c == '+' && plus ? ' ' : c;
    }
  }
  if (!is_text(decoded)) return std::nullopt;
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 0xf];
  }
  return encoded;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::vector<std::string>> path_segments(std::string_view path) {
  if (path.empty() || path.front() != '/') return std::nullopt;
  std::vector<std::string> segments;
  for (const std::string_view part : split(path.substr(1), '/')) {
    auto decoded = percent_decoded(part);
    if (!decoded) return std::nullopt;
    segments.push_back(*std::move(decoded));
  }
  return segments;
}

std::optional<QueryPairs> query_pairs(std::string_view query) {
  QueryPairs pairs;
  if (query.empty()) return pairs;
  for (const std::string_view part : split(query, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals), true);
    auto value = percent_decoded(equals == std::string_view::npos ? "" : part.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    pairs.emplace_back(*std::move(name), *std::move(value));
  }
  return pairs;
}

}  // namespace tenure::daemon
