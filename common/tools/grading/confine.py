# SPDX-License-Identifier: MIT
"""Starts one command in a cage: `python3 -I confine.py SETTINGS` (JSON), which becomes the command.

This file imports nothing of the course: it runs as a script, before the cage is closed. In this
order it sets the limits of resources, and then
- with bubblewrap: starts `bwrap`, which loads the filter of system calls itself;
- else: closes the file system with Landlock, and loads the filter.

The filter ("seccomp") refuses what a stage never needs: new processes, the network, other
processes, and new kinds of files. Only a compiler may start processes.
"""

import ctypes
import json
import os
import resource
import struct
import sys

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# System call numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
NUMBERS = {
    "x86_64": {
        "clone": 56, "clone3": 435, "fork": 57, "vfork": 58, "kill": 62, "tkill": 200,
        "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_open": 434,
        "pidfd_send_signal": 424, "socket": 41, "socketpair": 53, "connect": 42, "bind": 49,
        "listen": 50, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311,
        "setrlimit": 160, "prlimit64": 302, "mount": 165, "umount2": 166, "pivot_root": 155,
        "chroot": 161, "setns": 308, "unshare": 272, "mount_setattr": 442, "open_tree": 428,
        "move_mount": 429, "fsopen": 430, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
        "keyctl": 250, "add_key": 248, "request_key": 249, "io_uring_setup": 425, "mkdir": 83,
        "mkdirat": 258, "symlink": 88, "symlinkat": 266, "link": 86, "linkat": 265, "mknod": 133,
        "mknodat": 259, "memfd_create": 319, "shmget": 29, "msgget": 68, "semget": 64,
        "mq_open": 240, "init_module": 175, "finit_module": 313, "kexec_load": 246, "reboot": 169,
        "swapon": 167, "settimeofday": 164, "clock_settime": 227, "setsid": 112, "setpgid": 109,
    },
    "aarch64": {
        "clone": 220, "clone3": 435, "kill": 129, "tkill": 130, "tgkill": 131,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd_open": 434,
        "pidfd_send_signal": 424, "socket": 198, "socketpair": 199, "connect": 203, "bind": 200,
        "listen": 201, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271,
        "setrlimit": 164, "prlimit64": 261, "mount": 40, "umount2": 39, "pivot_root": 41,
        "chroot": 51, "setns": 268, "unshare": 97, "mount_setattr": 442, "open_tree": 428,
        "move_mount": 429, "fsopen": 430, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282,
        "keyctl": 219, "add_key": 217, "request_key": 218, "io_uring_setup": 425, "mkdirat": 34,
        "symlinkat": 36, "linkat": 37, "mknodat": 33, "memfd_create": 279, "shmget": 194,
        "msgget": 186, "semget": 190, "mq_open": 180, "init_module": 105, "finit_module": 273,
        "kexec_load": 104, "reboot": 142, "swapon": 224, "settimeofday": 170,
        "clock_settime": 112, "setsid": 157, "setpgid": 154,
    },
}  # fmt: skip
SPECIAL = ("clone", "clone3", "kill", "tgkill", "prlimit64")
CLONE_THREAD = 0x10000
EPERM, ENOSYS = 1, 38
# Instructions of the classic Berkeley Packet Filter, and what a filter of system calls returns.
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERROR, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # places in struct seccomp_data


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def filter_of_calls(machine: str, own_pid: int | None) -> bytes:
    """The filter; empty for a processor whose numbers are not in the table. Signals may be sent to
    `own_pid` only; None: the process has a namespace of processes for itself."""
    numbers = NUMBERS.get(machine)
    if numbers is None:
        return b""
    program = [
        instruction(LOAD, ARCHITECTURE),
        instruction(JUMP_EQUAL, AUDIT_ARCH[machine], 1, 0),
        instruction(RETURN, KILL),  # calls with the numbers of another architecture
        instruction(LOAD, NUMBER),
        instruction(JUMP_AT_LEAST, 0x40000000, 0, 1),  # the numbers of x32
        instruction(RETURN, ERROR | ENOSYS),
    ]

    def on(number: int, *then: bytes) -> None:
        program.append(instruction(JUMP_EQUAL, number, 0, len(then)))
        program.extend(then)

    for name in numbers:
        if name not in SPECIAL:
            on(numbers[name], instruction(RETURN, ERROR | EPERM))
    # The C library then uses clone, whose flags a filter can read.
    on(numbers["clone3"], instruction(RETURN, ERROR | ENOSYS))
    on(
        numbers["clone"],
        instruction(LOAD, ARGUMENTS),
        instruction(JUMP_BITS, CLONE_THREAD, 0, 1),
        instruction(RETURN, ALLOW),
        instruction(RETURN, ERROR | EPERM),
    )
    # Root may raise its limits, so nobody may set any. The third argument is the new limit.
    on(
        numbers["prlimit64"],
        instruction(LOAD, ARGUMENTS + 16),
        instruction(JUMP_EQUAL, 0, 1, 0),
        instruction(RETURN, ERROR | EPERM),
        instruction(LOAD, ARGUMENTS + 20),
        instruction(JUMP_EQUAL, 0, 1, 0),
        instruction(RETURN, ERROR | EPERM),
        instruction(RETURN, ALLOW),
    )
    for name in ("kill", "tgkill") if own_pid is not None else ():
        on(
            numbers[name],
            instruction(LOAD, ARGUMENTS),
            instruction(JUMP_EQUAL, own_pid or 0, 1, 0),
            instruction(RETURN, ERROR | EPERM),
            instruction(RETURN, ALLOW),
        )
    program.append(instruction(RETURN, ALLOW))
    return b"".join(program)


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def load_filter(program: bytes) -> None:
    """For this process and all that it becomes."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    )
    if libc().prctl(22, 2, header, 0, 0) != 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


# Landlock (include/uapi/linux/landlock.h): rights on files, and the versions that know them.
READ_RIGHTS = 1 | 4 | 8  # execute, read a file, read a folder
FILE_RIGHTS = 1 | 2 | 4 | 0x4000  # those that make sense for a file
RIGHTS_OF_VERSION = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF}
WRITE_RIGHTS = 2 | 0x20 | 0x100 | 0x2000 | 0x4000  # write, remove, make regular files, move, cut
FOLDER_RIGHTS = 0x10 | 0x80  # remove and make folders, as compilers do


def close_file_system(readable: list[str], writable: list[str], folders: bool) -> None:
    """`folders`: whether folders may be made in `writable`."""
    library = libc()
    version = library.syscall(444, None, 0, 1)  # landlock_create_ruleset asks for the version
    if version < 1:
        raise OSError(ctypes.get_errno(), "the kernel has no Landlock")
    handled = RIGHTS_OF_VERSION[min(version, 3)]
    attributes = struct.pack("=QQ", handled, 3 if version >= 4 else 0)  # 3: TCP's bind and connect
    rules = library.syscall(444, attributes, 16 if version >= 4 else 8, 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "Landlock made no rules")
    write_rights = READ_RIGHTS | WRITE_RIGHTS | (FOLDER_RIGHTS if folders else 0)
    for paths, rights in ((readable, READ_RIGHTS), (writable, write_rights)):
        for path in paths:
            try:
                folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            allowed = rights & handled & (-1 if os.path.isdir(path) else FILE_RIGHTS)
            rule = struct.pack("=Qi", allowed, folder)
            if library.syscall(445, rules, 1, rule, 0) != 0:
                raise OSError(ctypes.get_errno(), f"Landlock refused {path}")
            os.close(folder)
    if library.syscall(446, rules, 0) != 0:
        raise OSError(ctypes.get_errno(), "Landlock refused its rules")
    os.close(rules)


def own_processes() -> int:
    """Threads of this user: the limit of processes counts them all."""
    count, uid = 0, os.getuid()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == uid:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:  # it has ended
            continue
    return count


def set_limits(limits: dict[str, int]) -> None:
    processes = own_processes() + limits["processes"]
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if hard == resource.RLIM_INFINITY or hard > limits["cpu_seconds"] + 5:
        hard = limits["cpu_seconds"] + 5
    # First a signal with a name, then one that cannot be ignored.
    resource.setrlimit(resource.RLIMIT_CPU, (min(limits["cpu_seconds"], hard), hard))
    for what, value in (
        (resource.RLIMIT_AS, limits["address_bytes"] or resource.RLIM_INFINITY),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_NPROC, processes),
    ):
        hard = resource.getrlimit(what)[1]
        if resource.RLIM_INFINITY not in (hard, value):
            value = min(value, hard)
        elif value == resource.RLIM_INFINITY:
            value = hard
        resource.setrlimit(what, (value, value))


def main() -> None:
    settings = json.loads(sys.argv[1])
    machine = os.uname().machine
    command, environment = settings["command"], settings["environment"]
    os.chdir(settings["folder"])
    set_limits(settings["limits"])
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # if the machine's memory ends, this process is the first to go
    if settings["bubblewrap"]:
        program = filter_of_calls(machine, None) if settings["filter"] else b""
        options = settings["bubblewrap"]
        if program:
            reading, writing = os.pipe()
            os.write(writing, program)  # it fits the pipe
            os.close(writing)
            os.set_inheritable(reading, True)
            options = [*options, "--seccomp", str(reading)]
        os.execvpe("bwrap", ["bwrap", *options, "--", *command], environment)
    libc().prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL: it does not outlive the grader
    if libc().prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")
    close_file_system(settings["readable"], settings["writable"], not settings["filter"])
    if settings["filter"] and (program := filter_of_calls(machine, os.getpid())):
        load_filter(program)
    os.execvpe(command[0], command, environment)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        print(f"confine: {error}", file=sys.stderr)
        sys.exit(1)
