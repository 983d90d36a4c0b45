"""Run the fuzzer on one target, guided by coverage if atheris is installed.

atheris is libFuzzer for Python. It keeps inputs that reach new code and calls the mutator of this package to derive
others. Its wheels exist only for some platforms.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from random import Random

from .judging import Failure, bound_memory, find_failure, shrink

PROGRESS_INTERVAL = 5.0  # seconds
SEED_LIMIT = 200


class Run:
    """One fuzzing run that tries ``inputs`` inputs and saves one failing input of each kind in ``folder``."""

    def __init__(self, target: str, inputs: int, seed: int, folder: Path) -> None:
        self.target = target
        self.inputs = inputs
        self.seed = seed
        self.folder = folder
        self.input_count = 0
        self.failures: dict[str, Failure] = {}
        self.start = self.last_report = time.monotonic()

    def run(self, is_guided: bool) -> int:
        """Run the fuzzer and return the exit status: 1 if an input failed, else 0.

        A guided run ends the process instead of returning.
        """
        bound_memory()
        self.folder.mkdir(parents=True, exist_ok=True)
        if is_guided:
            return self._run_guided()
        from .mutator import list_seeds, mutate
        from .targets import TARGETS

        target, random = TARGETS[self.target], Random(self.seed)
        for seed in self.choose_seeds(list_seeds(self.target)):
            self.try_input(target.run, seed)
        while self.input_count < self.inputs:
            seed = random.choice(list_seeds(self.target))
            self.try_input(target.run, mutate(self.target, seed, random, target.max_length))
        return self.finish()

    def choose_seeds(self, seeds: Sequence[bytes]) -> list[bytes]:
        """Choose the initial inputs, which run unchanged. They take at most half of all inputs."""
        return Random(self.seed).sample(seeds, min(SEED_LIMIT, (self.inputs + 1) // 2, len(seeds)))

    def _run_guided(self) -> int:
        import atheris

        with redirect_stderr(StringIO()), atheris.instrument_imports(include=["lusory", "lusory_dsl"]):
            # atheris can instrument a module only when it is first imported.
            from .mutator import list_seeds, mutate
            from .targets import TARGETS
        target = TARGETS[self.target]

        def run_input(data: bytes) -> None:
            self.try_input(target.run, data)
            if self.input_count >= self.inputs:
                code = self.finish()
                sys.stdout.flush()
                os._exit(code)

        def mutate_input(data: bytes, max_size: int, seed: int) -> bytes:
            random = Random(seed)
            if random.random() < 0.1:
                return bytes(atheris.Mutate(data, max_size))
            return mutate(self.target, data, random, max_size)

        with tempfile.TemporaryDirectory() as folder:
            for number, seed in enumerate(self.choose_seeds(list_seeds(self.target))):
                (Path(folder) / f"{number:04}").write_bytes(seed)
            options = {
                "seed": self.seed,
                "max_len": target.max_length,
                "timeout": 120,
                "rss_limit_mb": 3000,
                "verbosity": 0,
            }
            arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items())]
            arguments += [f"-artifact_prefix={self.folder}/{self.target}-", folder]
            atheris.Setup(arguments, run_input, custom_mutator=mutate_input)
            atheris.Fuzz()
        return self.finish()

    def try_input(self, run: Callable[[bytes], None], data: bytes) -> None:
        """Try one input. If it fails in a new way, shrink and save it."""
        self.input_count += 1
        failure = find_failure(run, data)
        if failure is not None and failure.kind not in self.failures:
            self.failures[failure.kind] = failure = shrink(run, failure)
            path = self.folder / f"{self.target}-{hashlib.sha256(failure.kind.encode()).hexdigest()[:10]}"
            path.write_bytes(failure.data)
            report = f"{failure.kind}\n\n{failure.trace}"
            path.with_suffix(".txt").write_text(report, encoding="utf-8", errors="replace")
            print(f"{self.target}: {failure.kind}; the input is in {path}", flush=True)
        if time.monotonic() - self.last_report > PROGRESS_INTERVAL:
            self.last_report = time.monotonic()
            print(self.format_progress(), flush=True)

    def format_progress(self) -> str:
        """Return the progress as text."""
        rate = self.input_count / max(time.monotonic() - self.start, 0.001)
        kinds = f"{len(self.failures)} kind{'' if len(self.failures) == 1 else 's'} of failure"
        inputs = f"{self.input_count:,} of {self.inputs:,} inputs, {rate:,.0f} a second"
        return f"{self.target}: {inputs}, {kinds}, seed {self.seed}"

    def finish(self) -> int:
        """Print the last line and return the exit status. Deletes the folder if nothing failed."""
        print(self.format_progress())
        if not self.failures:
            with suppress(OSError):
                self.folder.rmdir()
        return 1 if self.failures else 0
