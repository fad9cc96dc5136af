// Signatures of webhooks, by which a receiver knows who sent them: Standard Webhooks, scheme v1, which is HMAC-SHA256.
// Its secrets are `whsec_` and 24 to 64 random bytes in Base64 (https://www.standardwebhooks.com).
//
// To change a secret, sign with both for as long as the receivers take: each accepts what one of its secrets signed.
//
// Thread rule: values and pure functions; load_signing_key reads the environment and files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tenure::webhook {

class SigningKey {
 public:
  explicit SigningKey(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const { return bytes_; }  // secret: for the signature alone, never to be printed

 private:
  std::string bytes_;
};

// What is wrong, in words that have nothing of the secret.
struct UnusableKey {
  std::string why;
};

// From "whsec_…".
std::variant<SigningKey, UnusableKey> read_signing_key(std::string_view text);
// From where a configuration says that it is: "env:NAME" or "file:PATH". Spaces and line ends around it do not count.
std::variant<SigningKey, UnusableKey> load_signing_key(std::string_view where);

// The value of the header `webhook-signature`: "v1,…", one for each key, with spaces between them. `timestamp` is the
// value of `webhook-timestamp`, in seconds since 1970.
std::string signature_of(std::span<const SigningKey> keys, std::string_view id, std::int64_t timestamp,
                         std::string_view body);

}  // namespace tenure::webhook
