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

from .judging import Find, bound_memory, judged, smaller

EVERY = 5.0  # seconds between two lines of progress
MOST_SEEDS = 200


class Run:
    """One fuzzing run that tries ``inputs`` inputs and saves one failing input of each kind in the folder ``found``."""

    def __init__(self, target: str, inputs: int, seed: int, found: Path) -> None:
        self.target = target
        self.inputs = inputs
        self.seed = seed
        self.found = found
        self.tried = 0
        self.finds: dict[str, Find] = {}
        self.start = self.told = time.monotonic()

    def go(self, guided: bool) -> int:
        """Run the fuzzer and return the exit status: 1 if an input failed, else 0.

        A guided run ends the process instead of returning.
        """
        bound_memory()
        self.found.mkdir(parents=True, exist_ok=True)
        if guided:
            return self._guided()
        from .mutator import mutate, seeds
        from .targets import TARGETS

        target, random = TARGETS[self.target], Random(self.seed)
        for seed in self.begin(seeds(self.target)):
            self.try_one(target.run, seed)
        while self.tried < self.inputs:
            self.try_one(target.run, mutate(self.target, random.choice(seeds(self.target)), random, target.longest))
        return self.end()

    def begin(self, seeds: Sequence[bytes]) -> list[bytes]:
        """Choose the initial inputs, which run unchanged. They take at most half of all inputs."""
        return Random(self.seed).sample(seeds, min(MOST_SEEDS, (self.inputs + 1) // 2, len(seeds)))

    def _guided(self) -> int:
        import atheris

        with redirect_stderr(StringIO()), atheris.instrument_imports(include=["lusory", "lusory_dsl"]):
            # atheris can instrument a module only when it is first imported.
            from .mutator import mutate, seeds
            from .targets import TARGETS
        target = TARGETS[self.target]

        def one(data: bytes) -> None:
            self.try_one(target.run, data)
            if self.tried >= self.inputs:
                code = self.end()
                sys.stdout.flush()
                os._exit(code)

        def other(data: bytes, max_size: int, seed: int) -> bytes:
            random = Random(seed)
            if random.random() < 0.1:
                return bytes(atheris.Mutate(data, max_size))
            return mutate(self.target, data, random, max_size)

        with tempfile.TemporaryDirectory() as folder:
            for number, seed in enumerate(self.begin(seeds(self.target))):
                (Path(folder) / f"{number:04}").write_bytes(seed)
            options = {
                "seed": self.seed,
                "max_len": target.longest,
                "timeout": 120,
                "rss_limit_mb": 3000,
                "verbosity": 0,
            }
            arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items())]
            atheris.Setup(
                [*arguments, f"-artifact_prefix={self.found}/{self.target}-", folder], one, custom_mutator=other
            )
            atheris.Fuzz()
        return self.end()

    def try_one(self, run: Callable[[bytes], None], data: bytes) -> None:
        """Try one input. If it fails in a new way, shrink and save it."""
        self.tried += 1
        find = judged(run, data)
        if find is not None and find.kind not in self.finds:
            self.finds[find.kind] = find = smaller(run, find)
            path = self.found / f"{self.target}-{hashlib.sha256(find.kind.encode()).hexdigest()[:10]}"
            path.write_bytes(find.data)
            path.with_suffix(".txt").write_text(f"{find.kind}\n\n{find.trace}", encoding="utf-8", errors="replace")
            print(f"{self.target}: {find.kind}; the input is in {path}", flush=True)
        if time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            print(self.line(), flush=True)

    def line(self) -> str:
        """Return the progress as text."""
        rate = self.tried / max(time.monotonic() - self.start, 0.001)
        kinds = f"{len(self.finds)} kind{'' if len(self.finds) == 1 else 's'} of failure"
        return (
            f"{self.target}: {self.tried:,} of {self.inputs:,} inputs, {rate:,.0f} a second, {kinds}, seed {self.seed}"
        )

    def end(self) -> int:
        """Print the last line and return the exit status. Deletes the folder if nothing failed."""
        print(self.line())
        if not self.finds:
            with suppress(OSError):
                self.found.rmdir()
        return 1 if self.finds else 0
