// The machine beside Azurite, Microsoft's emulator of Azure Storage (emulators/with_emulator.sh): drawn histories are
// applied to both, and every reply must be the same, and so must be the content and the state of the blob after it.
//
// No lease is shorter than 15 s, and so each history waits for some of its leases to end; all run at the same time. The
// emulator's moments are only known to lie between a request and its answer: so no request is sent close to the end of
// a lease, and a history whose answer took long begins anew with another blob.
//
// Where the two differ, the documentation decides; `emulator_is_wrong` has these places.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <chrono>
#include <cmath>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/stores/blob_lease/blob_lease_store.h"
#include "tests/sim/stores/emulators/http_client.h"

namespace tenure::blob_lease {
namespace {

using emulators::HttpAnswer;
using emulators::HttpClient;
using std::chrono::milliseconds;

const std::string kAccount = "devstoreaccount1";
// Not a secret: the documentation gives it, and every emulator has it.
const std::string kKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
constexpr const char* kVersion = "2021-12-02";
constexpr Duration kSec = Duration::seconds(1);

// A shared access signature for everything in the account, as part of a URL.
// Source: "Create an account SAS", Azure Storage services REST API.
std::string account_sas() {
  const std::string until = "2099-01-01T00:00:00Z";
  const std::string signed_text =
      fmt::format("{}\nrwdlac\nb\nsco\n\n{}\n\n\n{}\n\n", kAccount, until, kVersion);
  std::vector<unsigned char> key(kKey.size());
  const int size = EVP_DecodeBlock(key.data(), reinterpret_cast<const unsigned char*>(kKey.data()),
                                   static_cast<int>(kKey.size()));
  constexpr int kPadding = 2;  // of kKey: EVP_DecodeBlock counts it
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int digest_size = 0;
  HMAC(EVP_sha256(), key.data(), size - kPadding, reinterpret_cast<const unsigned char*>(signed_text.data()),
       signed_text.size(), digest, &digest_size);
  unsigned char text[2 * EVP_MAX_MD_SIZE];
  EVP_EncodeBlock(text, digest, static_cast<int>(digest_size));
  std::string signature;
  for (const char* c = reinterpret_cast<const char*>(text); *c != '\0'; ++c)
    signature += *c == '+' ? "%2B" : *c == '/' ? "%2F" : *c == '=' ? "%3D" : std::string(1, *c);
  return fmt::format("sv={}&ss=b&srt=sco&sp=rwdlac&se={}&sig={}", kVersion, until, signature);
}

// ---- requests and replies, as Azure has them ------------------------------------------------------------------------

std::string seconds(Duration length) { return std::to_string(length.ns() / kSec.ns()); }

struct Asking {
  using Headers = std::vector<std::string>;
  Headers operator()(const AcquireLease& it) const {
    return {"x-ms-lease-action: acquire", "x-ms-proposed-lease-id: " + it.proposed_lease_id,
            "x-ms-lease-duration: " + (it.lease_duration ? seconds(*it.lease_duration) : "-1")};
  }
  Headers operator()(const RenewLease& it) const {
    return {"x-ms-lease-action: renew", "x-ms-lease-id: " + it.lease_id};
  }
  Headers operator()(const ChangeLease& it) const {
    return {"x-ms-lease-action: change", "x-ms-lease-id: " + it.lease_id,
            "x-ms-proposed-lease-id: " + it.proposed_lease_id};
  }
  Headers operator()(const ReleaseLease& it) const {
    return {"x-ms-lease-action: release", "x-ms-lease-id: " + it.lease_id};
  }
  Headers operator()(const BreakLease& it) const {
    Headers headers = {"x-ms-lease-action: break"};
    if (it.break_period) headers.push_back("x-ms-lease-break-period: " + seconds(*it.break_period));
    return headers;
  }
  Headers operator()(const PutBlob& it) const {
    Headers headers = {"x-ms-blob-type: BlockBlob"};
    if (it.lease_id) headers.push_back("x-ms-lease-id: " + *it.lease_id);
    return headers;
  }
  Headers operator()(const GetBlob&) const { return {}; }
};

std::string blob_of(const Request& request) {
  return std::visit([](const auto& it) { return it.blob; }, request);
}

HttpAnswer ask(HttpClient& client, const Request& request) {
  static const std::string kSas = account_sas();
  const bool reads = std::holds_alternative<GetBlob>(request);
  const auto* put = std::get_if<PutBlob>(&request);
  std::vector<std::string> headers = std::visit(Asking{}, request);
  headers.push_back(fmt::format("x-ms-version: {}", kVersion));
  return client.ask(reads ? "GET" : "PUT",
                    fmt::format("/{}/container/{}?{}{}", kAccount, blob_of(request),
                                reads || put != nullptr ? "" : "comp=lease&", kSas),
                    headers, put != nullptr ? put->content : "");
}

// A reply in words; how long a break lasts stands apart, for the service rounds it.
struct Words {
  std::string text;
  double lease_time = 0;
};

std::string header(const HttpAnswer& answer, const std::string& name) {
  const auto found = answer.headers.find(name);
  return found == answer.headers.end() ? "" : found->second;
}

Words words_of(const Request& request, const HttpAnswer& answer) {
  if (answer.status >= 300) return {"failed: " + header(answer, "x-ms-error-code")};
  if (std::holds_alternative<GetBlob>(request))
    return {fmt::format("'{}', {}", answer.body, header(answer, "x-ms-lease-state"))};
  if (std::holds_alternative<PutBlob>(request)) return {"written"};
  if (std::holds_alternative<BreakLease>(request))
    return {"breaks", std::stod(header(answer, "x-ms-lease-time"))};
  if (std::holds_alternative<ReleaseLease>(request)) return {"ended"};
  return {"leased " + header(answer, "x-ms-lease-id")};
}

struct Said {
  Words operator()(const Leased& it) const { return {"leased " + it.lease_id}; }
  Words operator()(const LeaseEnded&) const { return {"ended"}; }
  Words operator()(const Breaks& it) const {
    return {"breaks", static_cast<double>(it.lease_time.ns()) / 1e9};
  }
  Words operator()(const BlobWritten&) const { return {"written"}; }
  Words operator()(const BlobRead& it) const { return {fmt::format("'{}', {}", it.content, it.lease_state)}; }
  Words operator()(const Failed& it) const { return {"failed: " + it.code}; }
};

// ---- one history ----------------------------------------------------------------------------------------------------

StoreTime clock_now() {
  return StoreTime::from_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::steady_clock::now().time_since_epoch())
                                .count());
}

// Ids are GUIDs.
std::string guid(char last) { return std::string("00000000-0000-0000-0000-00000000000") + last; }

class History {
 public:
  History(unsigned number, milliseconds length) : number_(number), length_(length), dice_(number) {}

  // Empty: the two agreed in everything.
  std::string run(HttpClient& client) {
    end_ = std::chrono::steady_clock::now() + length_;
    begin_anew(client);
    while (std::chrono::steady_clock::now() < end_) {
      wait();
      if (std::string difference = apply(client, some_request()); !difference.empty()) return difference;
      if (std::string difference = apply(client, GetBlob{blob_}); !difference.empty()) return difference;
      if (too_slow_) begin_anew(client);
    }
    return {};
  }
  int compared() const { return compared_; }  // replies
  int ended() const { return ended_; }        // leases and breaks, by their time

 private:
  int roll(int n) { return static_cast<int>(dice_() % static_cast<unsigned>(n)); }
  std::string some_id() { return guid("abc"[roll(3)]); }

  void begin_anew(HttpClient& client) {
    blob_ = fmt::format("b{}-{}", number_, blobs_++);
    machine_ = BlobLeaseStore{};
    too_slow_ = false;
    ask(client, PutBlob{blob_, "", std::nullopt});
  }

  // What the machine would say of the blob then, if nothing happens before.
  std::string state_at(StoreTime time) const {
    BlobLeaseStore copy = machine_;
    std::vector<Notification> heard;
    return std::get<BlobRead>(*message_as<Reply>(copy.apply(Request{GetBlob{blob_}}, time, heard)))
        .lease_state;
  }

  // A little, or until what there is has ended; and then until nothing is about to end, or has just ended.
  void wait() {
    std::this_thread::sleep_for(milliseconds(roll(roll(4) == 0 ? 2'000 : 300)));
    const StoreTime now = clock_now();
    const std::string state = state_at(now);
    if (roll(4) == 0)
      for (int i = 1; i <= 16; ++i) {
        if (state_at(now + kSec * i) == state) continue;
        std::this_thread::sleep_for(std::chrono::seconds(i));
        ++ended_;
        break;
      }
    while (state_at(clock_now() - kNear) != state_at(clock_now() + kNear * 2))
      std::this_thread::sleep_for(milliseconds(100));
  }

  Request some_request() {
    const auto some_length = [this]() -> std::optional<Duration> {
      switch (roll(6)) {
        case 0: return std::nullopt;
        case 1: return kSec * 60;
        case 2: return kSec * 17;
        default: return kSec * 15;
      }
    };
    const auto some_period = [this]() -> std::optional<Duration> {
      const int seconds[] = {0, 1, 2, 3, 10, 60};
      if (roll(4) == 0) return std::nullopt;
      return kSec * seconds[roll(6)];
    };
    switch (roll(11)) {
      case 0:
      case 1:
      case 2: return AcquireLease{blob_, some_length(), some_id()};
      case 3:
      case 4: return RenewLease{blob_, some_id()};
      case 5: return ChangeLease{blob_, some_id(), some_id()};
      case 6: return ReleaseLease{blob_, some_id()};
      case 7:
      case 8: return BreakLease{blob_, some_period()};
      default: {
        const std::string content(1, "xyz"[roll(3)]);
        if (roll(2) == 0) return PutBlob{blob_, content, std::nullopt};
        return PutBlob{blob_, content, some_id()};
      }
    }
  }

  std::string apply(HttpClient& client, const Request& request) {
    const StoreTime before = clock_now();
    BlobLeaseStore after = machine_;
    std::vector<Notification> heard;
    const Reply reply = *message_as<Reply>(after.apply(request, before, heard));
    const std::string state = state_at(before);
    const Words own = std::visit(Said{}, reply);
    if (emulator_is_wrong(request, state, own)) return {};

    const HttpAnswer answer = ask(client, request);
    const Words theirs = words_of(request, answer);
    too_slow_ = too_slow_ || clock_now() - before > kNear;
    if (too_slow_) return {};
    machine_ = after;
    ++compared_;
    if (same(own, theirs)) return {};
    return fmt::format("blob {}, which is {}: [{}]: Azurite says {} ({}), the machine {} ({})", blob_, state,
                       fmt::join(std::visit(Asking{}, request), ", "), theirs.text, theirs.lease_time,
                       own.text, own.lease_time);
  }

  static bool same(const Words& own, const Words& theirs) {
    // Of a write under the id of a lease that is over. Azure's words for it are LeaseLost's; the emulator has these
    // words under another code.
    const std::string text =
        own.text == "failed: LeaseLost" ? "failed: LeaseNotPresentWithBlobOperation" : own.text;
    return text == theirs.text && std::abs(own.lease_time - theirs.lease_time) < 1.0;  // whole seconds
  }

  // Not asked, for the emulator does otherwise than the documentation's table of lease operations has it: it renews a
  // lease that is over under any id.
  static bool emulator_is_wrong(const Request& request, const std::string& state, const Words& own) {
    return std::holds_alternative<RenewLease>(request) && state == "expired" &&
           own.text == "failed: LeaseIdMismatchWithLeaseOperation";
  }

  static constexpr Duration kNear = Duration::millis(400);

  const unsigned number_;
  const milliseconds length_;
  std::mt19937 dice_;
  std::chrono::steady_clock::time_point end_;
  std::string blob_;
  int blobs_ = 0;
  bool too_slow_ = false;
  BlobLeaseStore machine_;
  int compared_ = 0;
  int ended_ = 0;
};

// The container is there once this has been called.
void make_container(HttpClient& client) {
  const HttpAnswer answer =
      client.ask("PUT", fmt::format("/{}/container?restype=container&{}", kAccount, account_sas()),
                 {fmt::format("x-ms-version: {}", kVersion)}, "");
  if (answer.status != 201 && answer.status != 409) throw std::runtime_error(answer.body);
}

TEST(BesideAzurite, drawn_histories_get_the_same_replies) {
  HttpClient client;
  make_container(client);
  std::deque<History> histories;
  for (unsigned i = 0; i < 40; ++i) histories.emplace_back(i, milliseconds(30'000));
  std::vector<std::string> problems(histories.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < histories.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        HttpClient own;
        problems[i] = histories[i].run(own);
      } catch (const std::exception& error) {
        problems[i] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::erase(problems, "");
  EXPECT_EQ(problems, std::vector<std::string>{});
  int compared = 0;
  int ended = 0;
  for (const History& history : histories) {
    compared += history.compared();
    ended += history.ended();
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(ended, 40);
}

}  // namespace
}  // namespace tenure::blob_lease
