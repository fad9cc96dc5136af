#include "cli/live/messages.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <sstream>

namespace tenure::cli {

bool send_message(int socket, std::string_view words) {
  while (true) {
    if (send(socket, words.data(), words.size(), MSG_NOSIGNAL) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

std::optional<std::string> receive_message(int socket, bool at_once) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto got = recv(socket, buffer.data(), buffer.size(), at_once ? MSG_DONTWAIT : 0);
    if (got > 0) return std::string(buffer.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno == EINTR) continue;
    return std::nullopt;
  }
}

std::string work_message(const lab::OutsideWork& work) {
  std::string text = fmt::format("work {} {} {} {}", work.number, work.event.schedule.value,
                                 work.event.slot.ns(), work.event.run);
  if (work.token) text += fmt::format(" {} {} {}", work.token->branch, work.token->epoch, work.token->nonce);
  return text;
}

std::optional<lab::OutsideWork> work_in(NodeId node, std::string_view message) {
  std::istringstream words{std::string(message)};
  std::string kind;
  lab::OutsideWork work;
  work.node = node;
  std::int64_t slot = 0;
  if (!(words >> kind >> work.number >> work.event.schedule.value >> slot >> work.event.run) ||
      kind != "work")
    return std::nullopt;
  work.event.slot = StoreTime::from_ns(slot);
  Token token;
  if (words >> token.branch >> token.epoch >> token.nonce) work.token = token;
  return work;
}

std::string done_message(const lab::OutsideAnswer& answer) {
  return fmt::format("done {} {}", answer.number, static_cast<int>(answer.result));
}

std::optional<lab::OutsideAnswer> done_in(std::string_view message) {
  std::istringstream words{std::string(message)};
  std::string kind;
  lab::OutsideAnswer answer;
  int result = 0;
  if (!(words >> kind >> answer.number >> result) || kind != "done") return std::nullopt;
  answer.result = static_cast<WorkResult>(result);
  return answer;
}

}  // namespace tenure::cli
