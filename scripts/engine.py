"""A program that answers lines, for the scripts beside this file."""

import subprocess
import sys
import threading

# Seconds that a program may take for an answer.
PATIENCE = 900


def fail(text):
    """Ends the script with one line and exit status 2."""
    print(f"error: {text}", file=sys.stderr)
    raise SystemExit(2)


class Engine:
    """A running program."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        except OSError as error:
            fail(f"cannot start {command[0]}: {error.strerror}")

    def ask(self, text, last):
        """Sends lines: what comes back before a line that begins with `last`."""
        silent = threading.Event()

        def give_up():
            silent.set()
            self.process.kill()

        watch = threading.Timer(PATIENCE, give_up)
        watch.daemon = True
        watch.start()
        answers = []
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line.startswith(last):
                    return answers
                answers.append(line.strip())
        except BrokenPipeError:
            pass
        finally:
            watch.cancel()
        what = f"was silent for {PATIENCE} s" if silent.is_set() else "ended"
        return fail(f"{self.process.args[0]} {what} before it said {last.strip()!r}")

    def close(self):
        self.process.kill()
        self.process.wait()
