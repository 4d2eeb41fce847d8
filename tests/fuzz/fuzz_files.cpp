// fuzz_files: damaged files of every kind. Each is refused with an error that names it in one printable line,
// or gives the result of the good file. Copies without seal, which nothing but HDF5's own checksums protect,
// may give another result, but neither crash, nor hang, nor leave anything behind.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "fuzz/damage.hpp"
#include "fuzz/driver.hpp"
#include "fuzz/file_kinds.hpp"
#include "unseal.hpp"

using namespace psflip;
using namespace psflip::fuzz;

namespace {

const std::string seal_mark = "psflip seal XXH64 ";
constexpr std::size_t seal_size = 35;

bool sealed(const std::string& bytes) {
    return bytes.size() > seal_size &&
           bytes.compare(bytes.size() - seal_size, seal_mark.size(), seal_mark) == 0;
}

/// A kind with what its good file holds and gives.
struct Good {
    FileKind kind;
    std::string bytes, unsealed, read, used;  ///< unsealed: the bytes as a file by hand has them
};

class Files : public Target {
  public:
    std::string name() const override { return "fuzz_files"; }
    void prepare(const std::string& folder) override { make_good_files(folder); }

    void start(const std::string& folder) override {
        folder_ = folder + "/";
        clear();
        for (const FileKind& kind : file_kinds(folder)) {
            Good good{kind, read_bytes(folder_ + kind.name), "", "", ""};
            const std::string path = folder_ + kind.damaged;
            write_bytes(path, good.bytes);
            if (sealed(good.bytes)) test::unseal(path);
            good.unsealed = read_bytes(path);
            write_bytes(path, good.bytes);
            good.read = kind.read(path);
            if (kind.use) good.used = kind.use(path);
            clear();
            good_.push_back(good);
        }
    }

    void run(Random& random) override {
        clear();
        const Good& good = random.pick(good_);
        std::string bytes = random.one_in(3) ? good.unsealed : good.bytes;
        const bool protected_ = sealed(bytes);
        for (std::size_t i = random.one_in(4) ? random.size(8) : 1; i > 0; --i)
            damage(bytes, random.pick(good_).bytes, random);
        const std::string path = folder_ + good.kind.damaged;
        write_bytes(path, bytes);
        const bool refused = !ends_well(good.kind.read, path, protected_, good.read);
        if (!refused && good.kind.use) ends_well(good.kind.use, path, protected_, good.used);
    }

  private:
    /// False where the library refuses the file as it must; Failure where it does otherwise.
    bool ends_well(const std::function<std::string(const std::string&)>& work, const std::string& path,
                   bool protected_, const std::string& wanted) {
        const std::set<std::string> before = names();
        try {
            const std::string result = work(path);
            if (protected_ && result != wanted)
                throw Failure("the damaged file is read, with another result: '" + result + "' for '" +
                              wanted + "'");
            return true;
        } catch (const Error& error) {
            if (error.code() != ExitCode::input && error.code() != ExitCode::environment)
                throw Failure(std::string("neither wrong input nor a wrong environment: ") + error.what());
            check_message(error.what(), path);
        }
        for (const std::string& name : names())
            if (!before.count(name)) throw Failure("the refused call left " + name);
        if (names() != before) throw Failure("the refused call deleted a file");
        return false;
    }

    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            found.insert(entry.path().filename());
        return found;
    }

    /// Removes what a case made.
    void clear() const {
        for (const std::string& name : names())
            if (name.rfind("case", 0) == 0) std::filesystem::remove(folder_ + name);
    }

    std::string folder_;
    std::vector<Good> good_;
};

}  // namespace

int main(int argc, char** argv) {
    Files target;
    return run_driver(argc, argv, target);
}
