"""A terminal: a program on a pty, and a screen that shows what the program draws."""
import codecs
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time

from wire import TooLate, wait_until

_SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[=>]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\(.")


class Screen:
    """The lines of a terminal, and those that have scrolled off its usual screen. A character takes one cell."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.history = []
        self.lines, self.row, self.column = [""] * rows, 0, 0
        self.usual = None           # the usual screen, while the alternate one is shown
        self.rest = ""

    @property
    def is_alternate(self):
        return self.usual is not None

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip()

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = (self.lines + [""] * rows)[:rows]
        self.row = min(self.row, rows - 1)

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = _SEQUENCE.match(text, at)
                if not found:
                    self.rest = text[at:]       # the sequence goes on in the next piece
                    return
                self.control(found[1] or "", found[2] or "")
                at = found.end()
                continue
            self.put(text[at])
            at += 1

    def put(self, character):
        if character == "\n":
            self.down()
        elif character == "\r":
            self.column = 0
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character >= " ":
            if self.column >= self.columns:
                self.column = 0
                self.down()
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
            self.column += 1

    def down(self):
        if self.row < self.rows - 1:
            self.row += 1
            return
        if not self.is_alternate:
            self.history.append(self.lines[0].rstrip())
        self.lines = self.lines[1:] + [""]

    def control(self, parameters, letter):
        numbers = [int(n) for n in parameters.strip("?").split(";") if n]
        line = self.lines[self.row]
        if letter == "H":
            self.row, self.column = (numbers + [1, 1])[0] - 1, (numbers + [1, 1])[1] - 1
        elif letter == "J" and numbers in ([], [0]):
            self.lines[self.row] = line[:self.column]
            self.lines[self.row + 1:] = [""] * (self.rows - self.row - 1)
        elif letter == "J":
            self.lines = [""] * self.rows
        elif letter == "K":
            self.lines[self.row] = "" if numbers == [2] else line[:self.column]
        elif letter in "ABCD":
            count = (numbers or [1])[0]
            self.row = min(self.rows - 1, max(0, self.row + {"A": -count, "B": count}.get(letter, 0)))
            self.column = max(0, self.column + {"C": count, "D": -count}.get(letter, 0))
        elif parameters == "?1049" and letter == "h" and not self.is_alternate:
            self.usual = self.lines, self.row, self.column
            self.lines, self.row, self.column = [""] * self.rows, 0, 0
        elif parameters == "?1049" and letter == "l" and self.is_alternate:
            lines, row, self.column = self.usual
            self.lines, self.row, self.usual = (lines + [""] * self.rows)[:self.rows], min(row, self.rows - 1), None


class Terminal:
    """A program whose standard streams are a terminal."""

    def __init__(self, command, environment, *, columns=80, rows=24, cwd=None):
        self.screen, self.raw = Screen(columns, rows), b""
        self.end, other = pty.openpty()
        self._set_size(columns, rows)
        self.process = subprocess.Popen(
            command, env={**environment, "TERM": "xterm"}, stdin=other, stdout=other, stderr=other, cwd=cwd,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other)
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        with contextlib.suppress(OSError):
            while piece := os.read(self.end, 65536):
                with self.lock:
                    self.raw += piece
                    self.screen.feed(decoder.decode(piece))

    def _set_size(self, columns, rows):
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        with self.lock:
            self.screen.resize(columns, rows)
        self._set_size(columns, rows)

    def send(self, text):
        os.write(self.end, text.encode())

    def wait_for(self, condition, what="the terminal", patience=15):
        """Waits until a text is shown, or until a function of the screen returns true."""
        wanted = condition if callable(condition) else lambda screen: condition in screen.text

        def is_there():
            with self.lock:
                return wanted(self.screen)
        try:
            wait_until(is_there, what, patience, pause=0.02)
        except BaseException:
            print(f"--- the screen\n{self.screen.text}\n--- scrolled off\n" + "\n".join(self.screen.history))
            raise
        return self.screen

    def type_until(self, typed, condition, what, *, each=3, patience=60):
        """Types keys on a shell's empty line until the condition holds, and returns what the screen showed.

        A completion offers nothing if the daemon does not answer at once, so the keys are typed again each few seconds."""
        end = time.monotonic() + patience
        while True:
            self.send(typed)
            try:
                return self.wait_for(condition, what, each).text
            except TooLate:
                if time.monotonic() > end:
                    raise
            finally:
                self.clear(typed)

    def clear(self, typed):
        """Empties a shell's line and screen. No command runs, because the terminal would echo what is typed meanwhile."""
        self.send("\x15\x0c")
        self.wait_for(lambda screen: typed.split()[0] not in screen.text, f"the end of {typed!r}")

    def wait(self, patience=15):
        """Waits for the end of the program and of its output, and returns the exit code."""
        code = self.process.wait(patience)
        self.thread.join(patience)
        return code

    def interrupt(self):
        self.send("\x03")

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        # The thread would read from whatever gets this descriptor next. A process that still has the terminal keeps both.
        self.thread.join(5)
        if not self.thread.is_alive():
            os.close(self.end)
