"""Programs in pseudo-terminals."""

import os
import pty
import select
import time


class Terminal:
    """Starts a program in a pseudo-terminal. `environment` replaces the variables of this process."""

    def __init__(self, command, folder, environment):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], list(map(str, command)), environment)

    def send(self, text):
        os.write(self.file, text.encode())

    def read_until(self, text, seconds=60.0):
        """Returns what the program prints up to a text and a little more; TimeoutError if the text does not come."""
        end, found = time.monotonic() + seconds, b""
        while text.encode() not in found:
            if time.monotonic() > end or not select.select([self.file], [], [], end - time.monotonic())[0]:
                raise TimeoutError(f"{text!r} did not come after {found.decode(errors='replace')!r}")
            found += os.read(self.file, 1 << 16)
        return found.decode(errors="replace")

    def close(self):
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)
        os.close(self.file)
