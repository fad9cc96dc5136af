#include "adapters/webhook/signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>
#include <fstream>

#include "core/base/check.h"

namespace tenure::webhook {
namespace {

constexpr std::string_view kPrefix = "whsec_";
constexpr std::size_t kLeastBytes = 24;
constexpr std::size_t kMostBytes = 64;
constexpr std::size_t kMostText = 4096;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the terminator that it writes
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// Empty: it is no Base64.
std::string from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > kMostText) return {};
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.substr(0, text.size() - padding).find_first_of("= \t\r\n") != std::string_view::npos) return {};
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text),
                                     static_cast<int>(text.size()));
  if (length < 0) return {};
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string hmac(const SigningKey& key, std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  const unsigned char* done =
      HMAC(EVP_sha256(), key.bytes().data(), static_cast<int>(key.bytes().size()), bytes_of(text),
           text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length);
  CHECK(done != nullptr, "OpenSSL has HMAC-SHA256");
  digest.resize(length);
  return digest;
}

}  // namespace

std::variant<SigningKey, UnusableKey> read_signing_key(std::string_view text) {
  if (!text.starts_with(kPrefix)) return UnusableKey{"does not begin with `whsec_`"};
  std::string bytes = from_base64(text.substr(kPrefix.size()));
  if (bytes.empty()) return UnusableKey{"is not Base64 after `whsec_`"};
  if (bytes.size() < kLeastBytes || bytes.size() > kMostBytes)
    return UnusableKey{fmt::format("has {} bytes, and needs {} to {}: `whsec_$(openssl rand -base64 32)`",
                                   bytes.size(), kLeastBytes, kMostBytes)};
  return SigningKey(std::move(bytes));
}

std::variant<SigningKey, UnusableKey> load_signing_key(std::string_view where) {
  std::string text;
  if (where.starts_with("env:")) {
    const std::string name(where.substr(4));
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return UnusableKey{fmt::format("the environment has no {}", name)};
    text = value;
  } else if (where.starts_with("file:")) {
    const std::string path(where.substr(5));
    std::ifstream file(path, std::ios::binary);
    if (!file) return UnusableKey{fmt::format("cannot read {}", path)};
    text.resize(kMostText);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
  } else {
    return UnusableKey{"say where the secret is: `env:NAME` or `file:PATH`"};
  }
  auto key = read_signing_key(trimmed(text));
  if (const auto* wrong = std::get_if<UnusableKey>(&key))
    return UnusableKey{fmt::format("the secret in {} {}", where.substr(where.find(':') + 1), wrong->why)};
  return key;
}

std::string signature_of(std::span<const SigningKey> keys, std::string_view id, std::int64_t timestamp,
                         std::string_view body) {
  const std::string text = fmt::format("{}.{}.{}", id, timestamp, body);
  std::string signatures;
  for (const SigningKey& key : keys) {
    if (!signatures.empty()) signatures += ' ';
    signatures += "v1," + base64(hmac(key, text));
  }
  return signatures;
}

}  // namespace tenure::webhook
