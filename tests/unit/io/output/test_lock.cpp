#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <functional>
#include <vector>

#include "io/file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/output/lock_owner.hpp"
#include "io/output/temporary_name.hpp"
#include "io/output/writer_lock.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

/// The process number of a child that did `work` and is gone, without any destructor having run.
pid_t dead_child(const std::function<void()>& work) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    return child;
}

/// Leaves the lock of a dead process.
pid_t leave_lock(const std::string& out) {
    return dead_child([&] { new WriterLock(out, "pt-run"); });
}

pid_t lock_holder(const std::string& out) {
    const auto owner = parse_lock(file_bytes(out + ".lock"));
    return owner ? static_cast<pid_t>(owner->process) : 0;
}

std::string refusal(const std::string& out) {
    return message_of<EnvironmentError>([&] { const WriterLock lock(out, "measure"); });
}

/// Starts `racers` processes that all want the lock at once and keep it until the last has tried; returns how
/// many got it.
int winners(const std::string& out, int racers) {
    std::array<int, 2> go{}, tried{};
    REQUIRE(pipe(go.data()) == 0);
    REQUIRE(pipe(tried.data()) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < racers; ++i) {
        children.push_back(fork());
        if (children.back() != 0) continue;
        close(go[1]);
        char byte = 0;
        if (read(go[0], &byte, 1) != 0) _exit(2);  // until the parent closes it
        bool won = false;
        try {
            const auto* lock = new WriterLock(out, "pt-run");
            won = true;
            lock->check();
        } catch (const EnvironmentError&) {
        }
        close(tried[1]);
        if (won && read(tried[0], &byte, 1) != 0) _exit(2);  // until all others have closed it
        _exit(won ? 1 : 0);
    }
    for (const int end : {go[0], go[1], tried[0], tried[1]}) close(end);
    int won = 0;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        REQUIRE(WIFEXITED(status));
        REQUIRE(WEXITSTATUS(status) < 2);
        won += WEXITSTATUS(status);
    }
    return won;
}

/// Puts the children of this process into a new process namespace, without root in a new user namespace, too.
bool unshare_processes() {
    return unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
}

/// Whether unshare_processes() works here.
bool can_unshare_processes() {
    const pid_t child = fork();
    if (child == 0) _exit(unshare_processes() && fork() >= 0 ? 0 : 1);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// Sets a variable of the environment that is not set otherwise.
class EnvironmentVariable {
  public:
    EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
        setenv(name, value.c_str(), 1);
    }
    ~EnvironmentVariable() { unsetenv(name_); }

  private:
    const char* name_;
};

using Life = OwnerState::Life;

}  // namespace

TEST_CASE("a lock names its holder, keeps others away and goes with its owner") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    {
        const WriterLock lock(out, "pt-run");
        CHECK(lock.path() == out + ".lock");
        CHECK(scratch.entries() == 1);
        const auto owner = parse_lock(file_bytes(lock.path()));
        REQUIRE(owner.has_value());
        CHECK(owner->process == getpid());
        CHECK(owner->start > 0);
        CHECK(owner->text() == file_bytes(lock.path()));
        const std::string message = refusal(out);
        CHECK(contains(message, out + " is being written by pt-run, process " + std::to_string(getpid())));
        CHECK(contains(message, host_name()));
        CHECK(contains(message, lock.path()));
        lock.check();
        const WriterLock another(scratch.path("state.h5"), "thermalize");
    }
    CHECK(scratch.entries() == 0);
}

TEST_CASE("the lock of a dead process is taken over with its temporaries") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    const pid_t dead = leave_lock(out);
    const auto owner = parse_lock(file_bytes(out + ".lock"));
    REQUIRE(owner.has_value());
    CHECK(owner->process == dead);
    const TemporaryWriter writer{place_hash(owner->place), owner->process, owner->start};
    write_bytes(temporary_name(out + ".checkpoint.h5", writer, 3), "half a checkpoint");
    write_bytes(scratch.path("run.h5.checkpoint.h5"), "a whole one");
    {
        const WriterLock lock(out, "pt-run");
        lock.check();
        CHECK(scratch.entries() == 2);
        CHECK(contains(refusal(out), std::to_string(getpid())));
    }
    CHECK(scratch.entries() == 1);
    leave_lock(out);
    leave_lock(out + ".lock.takeover");  // died while taking over
    std::filesystem::rename(out + ".lock.takeover.lock", out + ".lock.takeover");
    const WriterLock lock(out, "pt-run");
    CHECK(scratch.entries() == 2);
}

TEST_CASE("of many processes at once exactly one gets a free lock, or that of a dead one") {
    for (int round = 0; round < 20; ++round) {
        const Scratch scratch;
        CHECK(winners(scratch.path("free.h5"), 6) == 1);
        CHECK(winners(scratch.path("free.h5"), 6) == 1);  // the winner of before is dead
        leave_lock(scratch.path("dead.h5"));
        leave_lock(scratch.path("dead.h5.lock.takeover"));
        std::filesystem::rename(scratch.path("dead.h5.lock.takeover.lock"),
                                scratch.path("dead.h5.lock.takeover"));
        CHECK(winners(scratch.path("dead.h5"), 6) == 1);
    }
}

TEST_CASE("locks that cannot be judged are left, with the remedy") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    for (const std::string text : {"", "program: pt-run\nprocess: 1\n", "hello"}) {
        write_bytes(out + ".lock", text);
        CHECK(contains(refusal(out), "does not name its owner"));
        CHECK(contains(refusal(out), "remove the lock"));
        CHECK(file_bytes(out + ".lock") == text);
    }
    LockOwner owner = this_owner("pt-run");
    owner.place = {"elsewhere", "m", "b", "pid:[1]"};
    write_bytes(out + ".lock", owner.text());
    CHECK(contains(refusal(out), "on elsewhere"));
    CHECK(contains(refusal(out), "another machine"));
    CHECK(contains(refusal(out), "remove " + out + ".lock"));
    CHECK(file_bytes(out + ".lock") == owner.text());
}

TEST_CASE("a lock is read only if it is a file, and shown without control characters") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    REQUIRE(mkfifo((out + ".lock").c_str(), 0600) == 0);
    CHECK(contains(refusal(out), "cannot read the lock, because this is a pipe"));
    CHECK(contains(refusal(out), "remove the lock"));
    std::filesystem::remove(out + ".lock");
    write_bytes(out + ".lock", std::string(1 << 17, 'x'));
    CHECK(contains(refusal(out), "too large for the lock"));
    LockOwner owner = this_owner("pt-run\x1b]0;title\a");
    owner.place = {"else\x1b[2Jwhere", "m", "b", "pid:[1]"};
    write_bytes(out + ".lock", owner.text());
    CHECK(contains(refusal(out), "pt-run\\x1b]0;title\\x07, process"));
    CHECK(contains(refusal(out), "on else\\x1b[2Jwhere"));
}

TEST_CASE("the lock of another process namespace and its holder's temporaries are left") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    LockOwner owner = this_owner("pt-run");
    owner.place.pid_namespace = "pid:[1]";
    owner.process = dead_child([] {});
    write_bytes(out + ".lock", owner.text());
    const TemporaryWriter writer{place_hash(owner.place), owner.process, owner.start};
    write_bytes(temporary_name(out, writer, 0), "half a run");
    CHECK(contains(refusal(out), "another container"));
    check_writable(out);
    CHECK(file_bytes(out + ".lock") == owner.text());
    CHECK(file_bytes(temporary_name(out, writer, 0)) == "half a run");
    CHECK(scratch.entries() == 2);
}

TEST_CASE("in another process namespace a lock and its holder's temporaries are left" *
          doctest::skip(!can_unshare_processes())) {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    const WriterLock lock(out, "pt-run");
    const AtomicFile half(out);
    const pid_t outside = fork();
    REQUIRE(outside >= 0);
    if (outside == 0) {  // its children live in a new namespace, where the number of the holder is not in use
        if (!unshare_processes()) _exit(2);
        const pid_t inside = fork();
        int status = 0;
        if (inside != 0)
            _exit(waitpid(inside, &status, 0) == inside && WIFEXITED(status) ? WEXITSTATUS(status) : 3);
        bool refused = false;
        try {
            check_writable(out);
            const WriterLock another(out, "measure");
        } catch (const std::exception& error) {
            refused = contains(error.what(), "another container");
        }
        const bool unseen = kill(lock_holder(out), 0) != 0 && process_start(getpid()) == -1;
        _exit(refused && unseen ? 0 : 1);  // /proc is still that of the machine
    }
    int status = 0;
    waitpid(outside, &status, 0);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(scratch.entries() == 2);
    lock.check();
}

TEST_CASE("a lost lock is noticed, and another's is not removed") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    {
        const WriterLock lock(out, "pt-run");
        std::filesystem::remove(lock.path());
        CHECK(contains(message_of<EnvironmentError>([&] { lock.check(); }), "no longer"));
        write_bytes(lock.path(), "another's");
        CHECK_THROWS_AS(lock.check(), EnvironmentError);
    }
    CHECK(file_bytes(out + ".lock") == "another's");
    CHECK_THROWS_AS(WriterLock(scratch.path("no/run.h5"), "pt-run"), EnvironmentError);
}

TEST_CASE("the life of a process: number, start, machine and container") {
    const LockOwner here = this_owner("pt-run");
    CHECK(owner_state(here, here).life == Life::runs);
    LockOwner other = here;
    other.start += 1;
    CHECK(owner_state(other, here).life == Life::gone);  // a later process of the same number
    other = here;
    other.process = dead_child([] {});
    CHECK(owner_state(other, here).life == Life::gone);
    other = here;
    other.place.pid_namespace = "pid:[1]";
    CHECK(owner_state(other, here).life == Life::unknown);
    other = here;
    other.place.boot = "before";
    CHECK(owner_state(other, here).life == Life::gone);
    other.place.machine += "x";
    CHECK(owner_state(other, here).life == Life::unknown);
    LockOwner nameless = here;  // containers of one name without /etc/machine-id, on two machines
    nameless.place.machine = other.place.machine = "";
    CHECK(owner_state(other, nameless).life == Life::unknown);
    other = here;
    other.place.host = "elsewhere";
    other.place.boot = "there";
    CHECK(owner_state(other, here).life == Life::unknown);
}

TEST_CASE("a child that its parent has not asked for is gone") {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
    CHECK(process_start(child) == 0);
    waitpid(child, nullptr, 0);
    CHECK(process_start(child) == 0);
    CHECK(process_start(getpid()) > 0);
    CHECK(process_start(getpid()) == this_owner("").start);
}

TEST_CASE("the life of a Slurm job") {
    LockOwner here = this_owner("pt-run");
    here.slurm_cluster = here.slurm_job = "";
    LockOwner there = here;
    there.place = {"node17", "m", "b", "pid:[1]"};
    there.slurm_cluster = "tide";
    there.slurm_job = "4711";
    there.slurm_restarts = 1;
    CHECK(contains(there.description(), "(Slurm job 4711)"));
    const auto life = [&] { return owner_state(there, here).life; };
    CHECK(life() == Life::unknown);
    for (const auto& [ended, expected] : std::vector<std::pair<std::string, Life>>{
             {"", Life::unknown},
             {"tide/4711/1", Life::gone},
             {"tide/47/0,tide/4711/1,ebb/3/0", Life::gone},
             {"tide/4711/0", Life::unknown},  // an earlier start of the job
             {"ebb/4711/1", Life::unknown},   // a job of another cluster with the same disks
             {"tide/4711/12", Life::unknown},
             {"4711", Life::unknown}}) {
        CAPTURE(ended);
        const EnvironmentVariable variable(ended_jobs_variable, ended);
        CHECK(life() == expected);
    }
    here.slurm_job = "4711";
    here.slurm_cluster = "tide";
    here.slurm_restarts = 1;
    CHECK(life() == Life::unknown);  // another process of this start
    here.slurm_restarts = 2;
    CHECK(life() == Life::gone);
    here.slurm_cluster = "ebb";
    CHECK(life() == Life::unknown);
}

TEST_CASE("the lock of an ended Slurm job is taken over, that of a living process is not") {
    const Scratch scratch;
    const std::string out = scratch.path("run.h5");
    LockOwner owner = this_owner("pt-run");
    owner.slurm_cluster = "tide";
    owner.slurm_job = "4711";
    const EnvironmentVariable ended(ended_jobs_variable, "tide/4711/0");
    owner.slurm_restarts = 0;
    write_bytes(out + ".lock", owner.text());
    CHECK(contains(refusal(out), "the process is there"));
    owner.place = {"node17", "m", "b", "pid:[1]"};
    owner.slurm_restarts = 1;
    write_bytes(out + ".lock", owner.text());
    CHECK(contains(refusal(out), "on node17 (Slurm job 4711)"));
    CHECK(contains(refusal(out), "if it has ended (squeue lists"));
    CHECK(contains(refusal(out), "remove " + out + ".lock"));
    owner.slurm_restarts = 0;
    write_bytes(out + ".lock", owner.text());
    const WriterLock lock(out, "pt-run");
    lock.check();
    CHECK(lock_holder(out) == getpid());
}
