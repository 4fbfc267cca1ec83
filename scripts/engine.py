"""A program that answers lines, for the scripts beside this file."""

import subprocess


class Engine:
    """A running program."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        except OSError as error:
            raise SystemExit(f"error: cannot start {command[0]}: {error.strerror}") from None

    def ask(self, text, last):
        """Sends lines: what comes back before a line that begins with `last`."""
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise SystemExit(f"error: {self.process.args[0]} ended before it said {last!r}") from None
        answers = []
        for line in self.process.stdout:
            if line.startswith(last):
                return answers
            answers.append(line.strip())
        raise SystemExit(f"error: {self.process.args[0]} ended before it said {last!r}")

    def close(self):
        self.process.kill()
        self.process.wait()
