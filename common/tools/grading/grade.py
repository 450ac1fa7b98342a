# SPDX-License-Identifier: MIT
"""make grade DIR=submissions [LABS=basics/02,nbody/03] [SEED=7] [FORMAT=moodle|canvas]: grades a
class.

Each entry of DIR is one student's: a folder or an archive (zip, tar) with the folders that
`make lab` made, such as basics_02/basics.cu. The results go to DIR-grades: grades.csv, similar.csv
and a page per student; with FORMAT, moodle.csv or canvas.csv, too. Every finished grade is kept
there, so an interrupted run goes on where it stopped. Without SEED, the seed of the last run is taken, or a new one is drawn.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.grading import sandbox
from common.tools.grading.duplicates import find_alike, has_tester
from common.tools.grading.judge import grade, notes_on
from common.tools.grading.reports import (
    FORMATS,
    Grade,
    Student,
    grades_table,
    similar_table,
    write_pages,
)
from common.tools.grading.sandbox import NotGraded
from common.tools.grading.submissions import Submission, find_submissions, read_submission
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import chosen_labs, load_labs
from common.tools.labs.check import chosen_seed
from common.tools.labs.counted_run import fingerprint, solution_values
from common.tools.labs.lab import Lab
from common.tools.lib.files import write_whole
from common.tools.lib.stages import (
    BUILD,
    EXIT_FAILURE,
    DataError,
    Terminated,
    ToolError,
    choose,
    run_tool,
    variable,
)

RULES = 3  # changes when the same submission may get another grade

ATTEMPTS = 3  # at what this machine fails
OWN_FOLDER, LOCK = "course-grading-", "lock"


@dataclass(frozen=True)
class Job:
    student: str
    place: str
    lab: Lab
    source: bytes
    key: str  # of all that the grade depends on
    kept: Path


def grades_folder(submissions: Path) -> Path:
    folder = submissions.resolve()
    return folder.with_name(f"{folder.name}-grades")


def seed_of_class(folder: Path) -> int:
    """The teacher's seed. It is kept beside the grades, and not shown to students."""
    seed = chosen_seed()
    path = folder / "seed"
    if seed is None:
        try:
            seed = int(path.read_text(encoding="ascii"))
        except FileNotFoundError:
            seed = secrets.randbelow(10**12)
        except ValueError:
            raise DataError(f"{path}: is no seed: remove it, or name one: SEED=7") from None
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{seed}\n")
    return seed


def build_judges(labs: Iterable[Lab]) -> None:
    """The executables with the oracles: start and solution of each lab, on the CPU engine."""
    stages = {
        p.stage.stage for lab in labs if not lab.is_question for p in (lab.start, lab.solution)
    }
    if not stages:
        return
    result = subprocess.run([BUILD, "--stages", "emu", *sorted(stages)], check=False)
    if result.returncode != 0:
        raise ToolError("the stages that judge cannot be built", EXIT_FAILURE)


def in_parallel(
    work: list[Callable[[], Any]], said: Callable[[Any], None] = lambda _: None
) -> None:
    """Does all of it, on all cores. An interruption ends what is running, and starts no more."""
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        waiting: set[Future[Any]] = {pool.submit(one) for one in work}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    said(future.result())
        except BaseException:
            sandbox.interrupted.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def job_of(one: Submission, lab: Lab, seed: int, marks: dict[str, str], kept: Path) -> Job:
    source = one.files[lab.name]
    key = hashlib.sha256(
        "\0".join([marks[lab.name], str(seed), hashlib.sha256(source).hexdigest()]).encode()
    ).hexdigest()
    file = kept / one.place / f"{lab.folder_name}.json"
    return Job(one.student, one.place, lab, source, key, file)


def read_kept(job: Job) -> Grade | None:
    """The grade, if it is that of this submission, lab and seed."""
    try:
        record = json.loads(job.kept.read_text(encoding="utf-8"))
        return record["grade"] if record["key"] == job.key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def grade_once(job: Job, seed: int) -> None:
    with tempfile.TemporaryDirectory(prefix="grade-") as handed_in:
        with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
            source = Path(handed_in) / job.lab.file_name
            source.write_bytes(job.source)
            result = grade(job.lab, source, seed=seed, folder=Path(folder))
    record = {"key": job.key, "grade": result.to_json() | {"notes": notes_on(job.lab, result)}}
    write_whole(job.kept, json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def grade_job(job: Job, seed: int) -> tuple[Job, str]:
    """Grades a file and keeps the grade. What the machine fails at is tried again. If it fails
    each time, nothing is kept; returns why."""
    why = ""
    for attempt in range(ATTEMPTS):
        time.sleep(attempt)
        try:
            job.kept.parent.mkdir(parents=True, exist_ok=True)
            sandbox.wait_for_room(job.kept.parent)
            grade_once(job, seed)
            return job, ""
        except NotGraded as error:
            why = str(error)
        except (OSError, DataError) as error:  # of the grader's own files
            why = str(error).splitlines()[0]
    return job, why


def grade_all(jobs: list[Job], seed: int) -> dict[Path, str]:
    """Grades what is not graded yet. Prints a line per grade on a terminal. Returns where
    the grades would lie at which this machine failed, and why."""
    left = [job for job in jobs if read_kept(job) is None]
    if len(left) < len(jobs):
        print(f"{len(jobs) - len(left)} of {len(jobs)} files were graded before", file=sys.stderr)
    done = 0
    failed: dict[Path, str] = {}

    def tell(ended: tuple[Job, str]) -> None:
        nonlocal done
        done += 1
        job, why = ended
        if why:
            failed[job.kept] = why
        if sys.stderr.isatty():
            print(
                f"\r\033[K{done} of {len(left)}: {job.student} {job.lab.name}",
                end="",
                file=sys.stderr,
            )

    in_parallel([lambda job=job: grade_job(job, seed) for job in left], tell)  # type: ignore[misc]
    if sys.stderr.isatty() and left:
        print(file=sys.stderr)
    return failed


def marks_of(labs: list[Lab], seed: int) -> dict[str, str]:
    """What the grades of each lab depend on, besides the file and the seed."""
    return {
        lab.name: "\0".join([str(RULES), fingerprint(lab, seed), lab.start.text(), repr(lab)])
        for lab in labs
    }


def chosen_format() -> str:
    """Of which learning platform a table is wanted; "" if of none."""
    return choose("FORMAT", variable("FORMAT"), FORMATS) if variable("FORMAT") else ""


def report(
    folder: Path, labs: list[Lab], submissions: list[Submission], students: list[Student]
) -> None:
    alike = [
        pair
        for lab in labs
        for pair in find_alike(
            lab, {one.student: one.files[lab.name] for one in submissions if lab.name in one.files}
        )
    ]
    write_pages(folder / "reports", labs, students)
    write_whole(folder / "similar.csv", similar_table(alike))
    write_whole(folder / "grades.csv", grades_table(labs, students))
    if chosen := chosen_format():
        write_whole(folder / f"{chosen}.csv", FORMATS[chosen](labs, students))
    print(f"{len(students)} students, {sum(len(one.grades) for one in students)} files graded")
    print(f"grades:   {folder / 'grades.csv'}")
    if chosen:
        print(f"{chosen}: {' ' * (8 - len(chosen))}{folder / chosen}.csv")
    print(f"reports:  {folder / 'reports'}")
    tester = "" if has_tester() else " (the package similarity-tester is missing: equal files only)"
    print(f"similar:  {len(alike)} pairs in {folder / 'similar.csv'}{tester}")


@contextlib.contextmanager
def own_folder() -> Iterator[None]:
    """All temporary files lie in one folder. A grader that was ended by SIGKILL leaves it behind.
    The next one finds it without its owner's lock, and removes it."""
    home = Path(tempfile.gettempdir())
    for old in home.glob(f"{OWN_FOLDER}*"):
        with contextlib.suppress(OSError):
            if old.is_symlink() or old.stat().st_uid != os.getuid():
                continue
            with (old / LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(old, ignore_errors=True)
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix=OWN_FOLDER, ignore_cleanup_errors=True) as name:
        with (Path(name) / LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            tempfile.tempdir = name
            try:
                yield
            finally:
                tempfile.tempdir = before


def grade_class(given: Path) -> int:
    submissions, strays = find_submissions(given)
    for name in strays:
        print(f"left out, neither a folder nor an archive: {name}", file=sys.stderr)
    chosen = chosen_labs(load_labs())
    print(f"programs of students run with: {sandbox.best_way()}")
    in_parallel([lambda one=one: read_submission(one, chosen) for one in submissions])  # type: ignore[misc]
    # Without LABS, those that anybody handed in.
    named = bool(variable("LABS"))
    labs = [
        lab
        for lab in chosen
        if named or any(lab.name in one.files or lab.name in one.problems for one in submissions)
    ]
    if not labs:
        folders = ", ".join(sorted(lab.folder_name for lab in chosen)[:3])
        raise ToolError(
            f"DIR={variable('DIR')}: no submission has a lab's folder ({folders}, …)", 1
        )
    folder = grades_folder(given)
    seed = seed_of_class(folder)
    build_libraries(sorted({lab.chapter for lab in labs}))
    build_judges(labs)
    in_parallel([lambda lab=lab: solution_values(lab, seed) for lab in labs])  # type: ignore[misc]
    marks = marks_of(labs, seed)
    jobs = [
        job_of(one, lab, seed, marks, folder / "kept")
        for one in submissions
        for lab in labs
        if lab.name in one.files
    ]
    failed = grade_all(jobs, seed)
    students = {
        one.student: Student(one.student, one.place, problems=one.problems) for one in submissions
    }
    for job in jobs:
        kept = read_kept(job)
        if kept is not None:
            students[job.student].grades[job.lab.name] = kept
        else:
            students[job.student].not_graded[job.lab.name] = failed.get(
                job.kept, "the grade is lost"
            )
    report(folder, labs, submissions, list(students.values()))
    if failed:
        print(
            f"{len(failed)} files were not graded, because this machine failed (see the remarks): "
            "`make grade` with the same DIR tries them again",
            file=sys.stderr,
        )
    return EXIT_FAILURE if failed else 0


def main() -> int:
    if not variable("DIR"):
        raise ToolError("DIR is missing: make grade DIR=submissions")
    chosen_format()
    with own_folder():
        try:
            return grade_class(Path(variable("DIR")))
        except NotGraded as error:
            raise ToolError(f"this machine failed: {error}", EXIT_FAILURE) from None


def guarded() -> int:
    """An interruption ends the programs that are running before the tool ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return main()
    except (KeyboardInterrupt, Terminated):
        print("interrupted: `make grade` with the same DIR goes on", file=sys.stderr)
        raise


if __name__ == "__main__":
    run_tool(guarded)
