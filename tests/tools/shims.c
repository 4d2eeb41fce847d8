/* Preloaded into the programs by test_faults.py: a machine with faults. NO_FILE_LOCKS: a file system without locks.
   CLOCK_BACKWARDS: the clock of the day runs backwards, one hour per reading. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int flock(int file, int operation) {
    if (getenv("NO_FILE_LOCKS")) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_flock, file, operation);
}

static int control(int file, int command, void* argument) {
    if (getenv("NO_FILE_LOCKS") && (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK)) {
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_fcntl, file, command, argument);
}
int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void* argument = va_arg(list, void*);
    va_end(list);
    return control(file, command, argument);
}
int fcntl64(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void* argument = va_arg(list, void*);
    va_end(list);
    return control(file, command, argument);
}

static time_t readings(void) {
    static _Atomic int count;
    return getenv("CLOCK_BACKWARDS") ? ++count : 0;
}
int clock_gettime(clockid_t clock, struct timespec* now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec -= 3600 * readings();
    return result;
}
int gettimeofday(struct timeval* now, void* zone) {
    int result = (int)syscall(SYS_gettimeofday, now, zone);
    now->tv_sec -= 3600 * readings();
    return result;
}
time_t time(time_t* now) {
    struct timespec reading;
    clock_gettime(CLOCK_REALTIME, &reading);
    if (now) *now = reading.tv_sec;
    return reading.tv_sec;
}
