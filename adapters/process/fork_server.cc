#include "adapters/process/fork_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/host_failure.h"

namespace tenure::process {
namespace {

constexpr int kPatienceSeconds = 20;

}  // namespace

ForkServer::ForkServer(std::unique_ptr<Child> process, Descriptor socket)
    : process_(std::move(process)), socket_(std::move(socket)) {
  const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

int ForkServer::ask(const std::string& request, const TheirEnds* ends) {
  const std::lock_guard lock(mutex_);
  std::string text = request;
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
  if (ends != nullptr) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(3 * sizeof(int));
    const std::array<int, 3> numbers = {ends->in.get(), ends->out.get(), ends->err.get()};
    std::memcpy(CMSG_DATA(header), numbers.data(), sizeof numbers);
  }
  std::array<char, 64> answer{};
  int number = 0;
  const bool sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL) > 0;
  const ssize_t count = sent ? recv(socket_.get(), answer.data(), answer.size(), 0) : -1;
  const char* const end = answer.data() + std::max<ssize_t>(count, 0);
  const auto read = std::from_chars(answer.data(), end, number);
  if (count <= 0 || read.ec != std::errc{} || read.ptr != end)
    throw HostFailure(fmt::format("the program that copies itself did not answer `{}`", request));
  return number;
}

std::unique_ptr<Child> ForkServer::copy() {
  Standard standard = make_standard();
  const int process = ask("copy", &standard.theirs);
  return std::make_unique<Child>(std::move(standard.ours), process,
                                 [this, process](int grace_ms) { return end(process, grace_ms); });
}

std::string ForkServer::end(int process, int grace_ms) {
  try {
    return ending_text(ask(fmt::format("end {} {}", process, grace_ms), nullptr));
  } catch (const HostFailure& failure) {
    return failure.what();  // its copies die with it
  }
}

}  // namespace tenure::process
