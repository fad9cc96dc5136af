"""The process that has read the program, and is copied for each life (docs/node-protocol.md, "Faster lives")."""

import array
import ctypes
import gc
import os
import signal
import socket
import time

# As they are before world takes them from programs.
_fork, _getpid, _killpg, _exit = os.fork, os.getpid, os.killpg, os._exit
_sleep, _monotonic = time.sleep, time.monotonic
_Socket = socket.socket
_PR_SET_PDEATHSIG = 1


def _die_with(parent, libc):
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        _exit(1)


def _end(process, grace_ms):
    """Ends a copy, and its group; its exit code, or minus the signal."""
    last = _monotonic() + grace_ms / 1e3
    while _monotonic() < last:
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
            break
        _sleep(0.001)
    try:
        _killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def serve(fd):
    """Makes copies, as it is asked to. Returns in each of them, with the standard descriptors of a process of its own.

    Ends the process when nobody asks any more."""
    requests = _Socket(fileno=fd)
    parent = _getpid()
    libc = ctypes.CDLL(None)
    gc.collect()
    gc.freeze()  # what all copies share is left where it is
    while True:
        request, ancillary, _, _ = requests.recvmsg(64, socket.CMSG_SPACE(3 * array.array("i").itemsize))
        if not request:
            _exit(0)
        words = request.decode().split()
        if words[0] == "end":
            requests.send(b"%d" % _end(int(words[1]), int(words[2])))
            continue
        fds = array.array("i")
        for _level, _kind, data in ancillary:
            fds.frombytes(data)
        process = _fork()
        if process == 0:
            os.setpgid(0, 0)
            _die_with(parent, libc)
            for number, given in enumerate(fds):
                os.dup2(given, number)
                os.close(given)
            requests.close()
            return
        os.setpgid(process, process)
        for given in fds:
            os.close(given)
        requests.send(b"%d" % process)
