#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/device.hpp"

/// Runs the tests. Without a GPU it reports why and returns 77, which CTest counts as skipped. On one GPU
/// doctest skips the suite "two GPUs", and its summary counts the skipped cases.
int main(int argc, char** argv) {
    std::string why;
    if (!psflip::cuda_available(0, &why)) {
        std::printf("skipped: no GPU (%s)\n", why.c_str());
        return 77;
    }
    std::printf("device: %s\n", psflip::cuda_device_name(0).c_str());
    setenv("PSFLIP_PLAN_CACHE", "off", 1);  // plans are predicted, whatever earlier calls stored
    doctest::Context context(argc, argv);
    if (!psflip::cuda_available(1)) context.addFilter("test-suite-exclude", "two GPUs");
    return context.run();
}
