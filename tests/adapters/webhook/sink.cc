#include "tests/adapters/webhook/sink.h"

#include <fmt/format.h>

#include <fstream>

namespace tenure::webhook::testing {

namespace {

std::vector<std::string> command(const std::string& records, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/usr/bin/python3", TENURE_SOURCE_DIR "/tests/adapters/webhook/sink.py",
                                    records};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

Sink::Sink(const std::vector<std::string>& arguments)
    : child_(command(folder_.path() + "/records", arguments)), port_(std::stoi(child_.hear())) {}

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
