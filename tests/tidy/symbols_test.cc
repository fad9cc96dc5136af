// What the libraries of core and sim ask of the outside, by nm: no clock, no thread, no socket, no entropy,
// no environment. The ban list reads what the source says; this reads what the compiler made of it.
#include <gtest/gtest.h>
#include <stdio.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/tidy/source.h"

namespace tenure::tidy {
namespace {

std::string undefined_symbols(const std::string& library) {
  const std::string command = "nm -u '" + library + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  return pclose(pipe) == 0 ? text : "";
}

// Names as C has them, and what std:: makes of them, mangled.
const std::regex& forbidden() {
  static const std::regex pattern(
      R"(\bU (clock_\w+|gettimeofday|time|times|clock|nanosleep|usleep|sleep|localtime\w*|gmtime\w*|mktime|)"
      R"(timer_\w+|timerfd_\w+|_ZNSt6chrono\S*|)"
      R"(pthread_(create|mutex_\w+|rwlock_\w+|cond_\w+|join|detach|once)|_ZNSt6thread\S*|)"
      R"(fork|vfork|clone|)"
      R"(socket\w*|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|poll|select|epoll_\w+|getaddrinfo|)"
      R"(getrandom|getentropy|arc4random\w*|s?rand(om|48)?|drand48|_ZNSt13random_device\S*|)"
      R"(getenv|secure_getenv|setenv|open(at|64)?|fopen(64)?|read|_ZNSt\d+basic_[io]?f(stream|ilebuf)\S*)(@\S*)?$)",
      std::regex::optimize);
  return pattern;
}

std::vector<std::string> forbidden_symbols(const std::string& library) {
  std::vector<std::string> found;
  for (const Line& line : lines_of(undefined_symbols(library))) {
    if (std::regex_search(line.text, forbidden())) found.push_back(line.text);
  }
  return found;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  static const std::regex part("[^|]+");
  for (std::sregex_iterator i(list.begin(), list.end(), part), end; i != end; ++i) parts.push_back(i->str());
  return parts;
}

TEST(Symbols, the_libraries_of_core_and_sim_ask_for_no_clock_thread_socket_or_entropy) {
  const std::vector<std::string> libraries = split(TENURE_LIBRARIES);
  EXPECT_GE(libraries.size(), 12u);
  for (const std::string& library : libraries) {
    EXPECT_NE(undefined_symbols(library).find(" U "), std::string::npos) << "nm found nothing in " << library;
    for (const std::string& symbol : forbidden_symbols(library)) ADD_FAILURE() << library << ": " << symbol;
  }
}

TEST(Symbols, what_was_planted_is_found) {
  std::string found;
  for (const std::string& symbol : forbidden_symbols(TENURE_PLANTED)) found += symbol + "\n";
  for (const char* planted : {"_ZNSt6chrono", "U clock_gettime", "U time", "_ZNSt13random_device", "U rand",
                              "U pthread_", "U socket", "U getenv", "U fopen", "filebuf"}) {
    EXPECT_NE(found.find(planted), std::string::npos) << planted << " is not among\n" << found;
  }
}

TEST(Symbols, names_that_only_begin_alike_pass) {
  for (const char* innocent : {"   U timeline", "   U _ZN6tenure3sim4timeEv", "   U randomly",
                               "   U __errno_location", "   U fprintf", "   U sender", "   T time"}) {
    EXPECT_FALSE(std::regex_search(std::string(innocent), forbidden())) << innocent;
  }
}

}  // namespace
}  // namespace tenure::tidy
