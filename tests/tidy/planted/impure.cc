// Everything that core and sim must not do, once each, for the symbols test to find. Compiled, never run.
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

long impure(void* (*body)(void*)) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_t thread{};
  pthread_create(&thread, nullptr, body, nullptr);
  std::ifstream file("planted");
  std::random_device device;
  return now.tv_sec + time(nullptr) + std::chrono::system_clock::now().time_since_epoch().count() + rand() +
         socket(AF_INET, SOCK_STREAM, 0) + static_cast<long>(device()) + (getenv("PLANTED") != nullptr) +
         (std::fopen("planted", "r") != nullptr);
}
