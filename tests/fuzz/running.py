"""One run of the fuzzer over one target: guided by coverage where there is a guide, blind elsewhere.

The guide is atheris, libFuzzer for Python: it keeps the inputs that reach new code, and asks the mutator of this
package for others made of them. It is installed where there are wheels of it.
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
    """So many ``inputs`` for a target; what fails goes to the folder ``found``, a file for each kind."""

    def __init__(self, target: str, inputs: int, seed: int, found: Path) -> None:
        self.target = target
        self.inputs = inputs
        self.seed = seed
        self.found = found
        self.tried = 0
        self.finds: dict[str, Find] = {}
        self.start = self.told = time.monotonic()

    def go(self, guided: bool) -> int:
        """Tries the inputs; 1 where something was found. Guided, it ends the process."""
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
        """What is tried as it is before anything is made of it: of few inputs, half."""
        return Random(self.seed).sample(seeds, min(MOST_SEEDS, (self.inputs + 1) // 2, len(seeds)))

    def _guided(self) -> int:
        import atheris

        with redirect_stderr(StringIO()), atheris.instrument_imports(include=["lusory", "lusory_dsl"]):
            from .mutator import mutate, seeds  # nothing of lusory may have been imported before
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
        """Tries one input, and keeps it if it is a find of a new kind, as small as can be."""
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
        """How far it is."""
        rate = self.tried / max(time.monotonic() - self.start, 0.001)
        kinds = f"{len(self.finds)} kind{'' if len(self.finds) == 1 else 's'} of failure"
        return (
            f"{self.target}: {self.tried:,} of {self.inputs:,} inputs, {rate:,.0f} a second, {kinds}, seed {self.seed}"
        )

    def end(self) -> int:
        """The last line. Where nothing was found there is no folder for it."""
        print(self.line())
        if not self.finds:
            with suppress(OSError):
                self.found.rmdir()
        return 1 if self.finds else 0
