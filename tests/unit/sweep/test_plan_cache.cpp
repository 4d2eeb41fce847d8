#include <cstdlib>
#include <set>

#include "sweep/plan_cache.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

/// Sets an environment variable for a scope.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~Variable() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

  private:
    const char* name_;
    std::string old_;
};

}  // namespace

TEST_CASE("the folder of plans follows the environment") {
    const Variable home("HOME", "/home/me"), caches("XDG_CACHE_HOME", ""), unset("PSFLIP_PLAN_CACHE", "");
    CHECK(plan_cache_path("NVIDIA H100 (x/y)") == "/home/me/.cache/psflip/NVIDIA-H100--x-y-.plans");
    const Variable other_caches("XDG_CACHE_HOME", "/caches");
    CHECK(plan_cache_path("A") == "/caches/psflip/A.plans");
    const Variable folder("PSFLIP_PLAN_CACHE", "/plans");
    CHECK(plan_cache_path("A") == "/plans/A.plans");
    CHECK_FALSE(plan_cache_is_off());
    const Variable off("PSFLIP_PLAN_CACHE", "off");
    CHECK(plan_cache_path("A").empty());
    CHECK(plan_cache_is_off());
}

TEST_CASE("a key names all that plans depend on, and nothing else") {
    const std::vector<std::int8_t> bonds(2 * 3 * 64, 1);
    std::vector<std::int8_t> absent = bonds;
    absent[5] = 0;
    const BatchSetup setup{
        .shape = {4, 2, 3, 2, 0, 32}, .betas = {3, 2, 1}, .couplings = bonds, .sweeps_per_swap = 5};
    const std::string key = plan_key(setup, 13000, 132);
    BatchSetup same = setup;
    same.seed = 7;
    same.betas = {6, 5, 4};
    same.sweeps = 1000;
    same.shape.first_realization = 64;
    same.shape.realizations = 128;  // one column, too
    CHECK(plan_key(same, 13000, 132) == key);
    std::set<std::string> keys{key, plan_key(setup, 12000, 132), plan_key(setup, 13000, 144)};
    const auto add = [&](const auto& change) {
        BatchSetup other = setup;
        change(other);
        keys.insert(plan_key(other, 13000, 132));
    };
    add([](BatchSetup& s) { s.shape.L = 6; });
    add([](BatchSetup& s) { s.shape.replicas = 1; });
    add([](BatchSetup& s) { s.shape.temperatures = 2; });
    add([](BatchSetup& s) { s.shape.temperatures = 1; });
    add([](BatchSetup& s) { s.shape.realizations = 129; });
    add([](BatchSetup& s) { s.shape.share = 1; });
    add([](BatchSetup& s) { s.sweeps_per_swap = 0; });
    add([](BatchSetup& s) { s.model.dimension = 2; });
    add([](BatchSetup& s) { s.model.field = 0.1; });
    add([](BatchSetup& s) { s.model.update = Update::heat_bath; });
    add([&](BatchSetup& s) { s.couplings = absent; });
    CHECK(keys.size() == 14);
}

TEST_CASE("stored plans are found again, and damage is no error") {
    const Scratch scratch;
    const std::string path = scratch.path("new") + "/A.plans";
    CHECK(stored_plan(path, "L=8 share=1").empty());
    store_plan(path, "L=8 share=1", "resident:8x5x2/1");
    store_plan(path, "L=18 share=1", "tiled:1x2x3/1");
    store_plan(path, "L=8 share=1", "resident:8x5x2+1x1x1x3/2");
    CHECK(stored_plan(path, "L=8 share=1") == "resident:8x5x2+1x1x1x3/2");
    CHECK(stored_plan(path, "L=18 share=1") == "tiled:1x2x3/1");
    CHECK(stored_plan(path, "share=1").empty());
    CHECK(stored_plan(path, "L=8").empty());
    write_bytes(path, std::string("\0\n\nfused:1 L=8", 14));
    CHECK(stored_plan(path, "L=8 share=1").empty());
    store_plan(path, "L=8 share=1", "fused:1x1x1/1");
    CHECK(stored_plan(path, "L=8 share=1") == "fused:1x1x1/1");
    store_plan("", "key", "plan");
    store_plan(path + "/below-a-file", "key", "plan");
    CHECK(stored_plan(path + "/below-a-file", "key").empty());
    CHECK(stored_plan(scratch.folder(), "key").empty());
}
