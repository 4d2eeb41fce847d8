#include "base/stop.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

using namespace psflip;

// One test: the request is a state of the whole process.
TEST_CASE("a stop request is the time limit or the last signal") {
    CHECK(stop_reason() == nullptr);
    watch_for_stop(0.0);
    CHECK(stop_reason() == nullptr);
    sigset_t blocked, before;  // blocked: as a launcher may leave it
    sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    watch_for_stop(0.05);
    CHECK(stop_reason() == nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    REQUIRE(stop_reason() != nullptr);
    CHECK(std::string(stop_reason()) == "time limit");
    for (const auto& [signal, name] :
         {std::pair{SIGUSR1, "SIGUSR1"}, {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}}) {
        std::raise(signal);
        REQUIRE(stop_reason() != nullptr);
        CHECK(std::string(stop_reason()) == name);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);  // later tests send signals to threads
}
