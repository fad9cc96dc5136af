// A program of the tests' own as a process, to which lines are written and from which lines are read. It ends when its
// standard input does.
//
// Thread rule: one owner.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenure::testing {

class Child {
 public:
  // Its path, and its arguments. Throws std::runtime_error if there are no pipes.
  explicit Child(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipes");
    process_ = fork();
    if (process_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      execv(pointers.front(), pointers.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Child() {
    close(to_);
    close(from_);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void say(std::string line) const {
    line += '\n';
    if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error("a child does not listen");
  }
  // Its next line; what there was of it, if it ends before.
  std::string hear() const {
    std::string line;
    for (char letter = 0; read(from_, &letter, 1) == 1 && letter != '\n';) line += letter;
    return line;
  }

 private:
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace tenure::testing
