#include "adapters/process/descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/host_failure.h"

namespace tenure::process {
namespace {

constexpr int kAboveStandard = 10;

[[noreturn]] void out_of_descriptors() {
  throw HostFailure(std::string("no more file descriptors for a program: ") + std::strerror(errno));
}

// A new process gives its ends the numbers 0 to 3, so none of them may have one of these before.
Descriptor moved_up(Descriptor descriptor) {
  const int fd = fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kAboveStandard);
  if (fd < 0) out_of_descriptors();
  return Descriptor(fd);
}

struct Pipe {
  Descriptor exit;
  Descriptor entrance;
};
Pipe make_pipe() {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) out_of_descriptors();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

void Descriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Ends pipe_to_us() {
  Pipe pipe = make_pipe();
  return {std::move(pipe.exit), moved_up(std::move(pipe.entrance))};
}

Ends pipe_to_them() {
  Pipe pipe = make_pipe();
  return {std::move(pipe.entrance), moved_up(std::move(pipe.exit))};
}

Ends socket_pair() {
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) out_of_descriptors();
  Descriptor ours(ends[0]);
  return {std::move(ours), moved_up(Descriptor(ends[1]))};
}

void never_blocks(const Descriptor& descriptor) { fcntl(descriptor.get(), F_SETFL, O_NONBLOCK); }

}  // namespace tenure::process
