"""What this machine can take away from a child process, which applies it to itself before foreign code runs.

Linux only, by ctypes, each layer on its own: namespaces (no network), Landlock (no files but the ones
needed), seccomp (no sockets, no further processes, no reach into others). Elsewhere only the limits of POSIX
hold. `apply` tells what worked; nothing is taken on trust: `probe.py` tries the forbidden things.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys
from collections.abc import Sequence

CPU_SECONDS = 10
MEMORY_BYTES = 512 * 1024 * 1024
FILE_BYTES = 10_000_000
OPEN_FILES = 64

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_SET_DUMPABLE = 1, 38, 22, 4
_SIGKILL = 9


def limits(*, cap_address_space: bool) -> None:
    """CPU, memory, file size and open files.

    Args:
        cap_address_space: false for a JavaScript engine, which reserves gigabytes that it never uses; the
            parent then watches what is really used.
    """
    asked = [
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ]
    if cap_address_space:
        asked.append((resource.RLIMIT_AS, MEMORY_BYTES))
    for which, most in asked:
        hard = resource.getrlimit(which)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(which, (most, most))
        except (OSError, ValueError):  # macOS refuses some of them
            continue


def apply(readable: Sequence[str], writable: Sequence[str]) -> list[str]:
    """Take away what can be taken away; gives back the names of the layers that hold."""
    if not sys.platform.startswith("linux"):
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    done = []
    for name, layer in (
        ("namespaces", _namespaces),
        ("landlock", lambda: _landlock(libc, readable, writable)),
        ("seccomp", lambda: _seccomp(libc)),
    ):
        try:
            layer()
            done.append(name)
        except OSError:
            continue
    return done


def hide_from_children() -> None:
    """Keep children from reading this process's memory and environment (they run under the same user)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _namespaces() -> None:
    """A user namespace without rights, a network without devices, no shared memory of others."""
    os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET | os.CLONE_NEWIPC | os.CLONE_NEWUTS)


# ---- Landlock (Linux 5.13; linux/landlock.h)

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ_ONLY = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE
_RIGHTS_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_NET_RIGHTS = 3
_PATH_BENEATH = 1
_VERSION_FLAG = 1


def _landlock(libc: ctypes.CDLL, readable: Sequence[str], writable: Sequence[str]) -> None:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1:
        raise OSError("no Landlock")
    handled = _RIGHTS_BY_VERSION[max(v for v in _RIGHTS_BY_VERSION if v <= version)]
    attributes = struct.pack("=QQ", handled, _NET_RIGHTS if version >= 4 else 0)
    size = 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        for paths, rights in ((readable, _READ_ONLY), (writable, handled)):
            for path in paths:
                _allow(libc, ruleset, path, rights & handled)
        if libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112  # this module is to import little
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, opened)
        if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.c_char_p(rule), 0) != 0:
            raise OSError(ctypes.get_errno(), f"landlock_add_rule {path}")
    finally:
        os.close(opened)


# ---- seccomp (linux/seccomp.h, linux/filter.h)

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_DENIED = {
    # socket, ptrace, process_vm_readv, process_vm_writev, io_uring_setup, mount, bpf, setns, unshare,
    # kexec_load, add_key, request_key, keyctl, perf_event_open, userfaultfd, pidfd_send_signal, pidfd_getfd,
    # process_madvise, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo, setpriority, sched_setparam,
    # sched_setscheduler, sched_setaffinity, sched_setattr, ioprio_set, and on x86_64 fork and vfork
    "x86_64": (
        *(41, 101, 310, 311, 425, 165, 321, 308, 272, 246, 248, 249, 250, 298, 323, 424, 438, 440),
        *(200, 129, 297, 141, 142, 144, 203, 314, 251, 57, 58),
    ),
    "aarch64": (
        *(198, 117, 270, 271, 425, 40, 280, 268, 97, 104, 217, 218, 219, 241, 282, 424, 438, 440),
        *(130, 138, 240, 140, 118, 119, 122, 274, 30),
    ),
}
_OWN_ONLY = {"x86_64": (62, 234, 302), "aarch64": (129, 131, 261)}
"""kill, tgkill, prlimit64: for the process itself only (its number, or 0), not for its parent."""
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_CLONE_THREAD = 0x10000
_X32_BIT = 0x40000000

_LOAD, _JEQ, _JSET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050000 | 1, 0x00050000 | 38
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16


def seccomp_program(machine: str, pid: int) -> bytes:
    """The filter: deny what is listed, new processes (threads may start), and foreign calling conventions."""
    steps: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JEQ, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JSET, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _EPERM),
    ]
    for number in _DENIED[machine]:
        steps += [(_JEQ, 0, 1, number), (_RETURN, 0, 0, _EPERM)]
    for number in _OWN_ONLY[machine]:
        steps += [
            (_JEQ, 0, 5, number),
            (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
            (_JEQ, 2, 0, pid),
            (_JEQ, 1, 0, 0),
            (_RETURN, 0, 0, _EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
    # clone3 keeps its flags in memory, where a filter can't look: without it the C library falls back to
    # clone.
    steps += [(_JEQ, 0, 1, _CLONE3), (_RETURN, 0, 0, _ENOSYS)]
    steps += [
        (_JEQ, 0, 3, _CLONE[machine]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_JSET, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _seccomp(libc: ctypes.CDLL) -> None:
    machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if machine not in _ARCHITECTURES or sys.maxsize < 2**32:
        raise OSError("no filter for this machine")
    program = seccomp_program(machine, os.getpid())
    held = ctypes.create_string_buffer(program, len(program))
    length = ctypes.c_ushort(len(program) // 8)

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))

    asked = Filter(length.value, ctypes.cast(held, ctypes.c_void_p))
    if libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(asked), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")
