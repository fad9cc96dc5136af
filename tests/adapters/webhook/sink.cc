#include "tests/adapters/webhook/sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>

namespace tenure::webhook::testing {

Sink::Sink(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/usr/bin/python3", TENURE_SOURCE_DIR "/tests/adapters/webhook/sink.py",
                                    folder_.path() + "/records"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execv(pointers.front(), pointers.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  std::string said;
  char letter = 0;
  while (read(out[0], &letter, 1) == 1 && letter != '\n') said += letter;
  close(out[0]);
  port_ = std::stoi(said);
}

Sink::~Sink() {
  close(input_);
  waitpid(process_, nullptr, 0);
}

std::string Sink::url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

std::vector<nlohmann::json> Sink::requests() const {
  std::vector<nlohmann::json> all;
  std::ifstream file(folder_.path() + "/records");
  for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

}  // namespace tenure::webhook::testing
