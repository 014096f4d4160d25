#===- test/Tools/progress.py - What long work says on a terminal, and how it is stopped ---===#
# SPDX-License-Identifier: Apache-2.0
"""progress.py shows TEXT COMMAND...   what COMMAND writes to a terminal has a line that begins with TEXT, and takes it away
   progress.py fails TEXT COMMAND...   the same of a COMMAND that exits with 1
   progress.py hides "" COMMAND...     COMMAND writes nothing to a terminal
   progress.py stops TEXT COMMAND...   the terminal's interrupt at that line ends COMMAND and all that it started"""

import os
import pty
import signal
import subprocess
import sys
import time

SECONDS = 60


def in_terminal(command):
    """The process, leader of its group, and its terminal's other end."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # lit ignores it
    os.close(theirs)
    return process, ours


def read(terminal):
    try:
        return os.read(terminal, 4096).decode()
    except OSError:      # its last user is gone
        return ""


def shows(text, command, code=0):
    process, terminal = in_terminal(command)
    said = "".join(iter(lambda: read(terminal), ""))
    assert process.wait(SECONDS) == code, said
    assert "\r\033[K" + text in said, repr(said)
    assert said.endswith("\r\033[K"), repr(said)


def fails(text, command):
    shows(text, command, code=1)


def hides(_, command):
    process, terminal = in_terminal(command)
    said = "".join(iter(lambda: read(terminal), ""))
    assert process.wait(SECONDS) == 0 and said == "", repr(said)


def is_alive(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def stops(text, command):
    process, terminal = in_terminal(command)
    said = ""
    while text not in said:
        more = read(terminal)
        assert more, repr(said)
        said += more
    os.killpg(process.pid, signal.SIGINT)
    code = process.wait(SECONDS)
    assert code in (-signal.SIGINT, 128 + signal.SIGINT), code
    end = time.monotonic() + SECONDS
    while is_alive(process.pid):
        assert time.monotonic() < end, "something that it started is still there"
        time.sleep(0.01)


{"shows": shows, "fails": fails, "hides": hides, "stops": stops}[sys.argv[1]](sys.argv[2], sys.argv[3:])
