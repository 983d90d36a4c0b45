"""Work beside an event loop, which nobody waits for who leaves: a bot may think for minutes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What comes of ``work``, done in a thread of its own that ends with the program, or what it raises. The threads
    of the loop itself are waited for when it ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, problem: BaseException | None) -> None:
        if done.cancelled():
            return
        if problem is not None:
            done.set_exception(problem)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result: T | None = None
        problem: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:
            problem = raised
        with suppress(RuntimeError):  # the loop has ended, and nobody listens
            loop.call_soon_threadsafe(tell, result, problem)

    Thread(target=run, daemon=True, name="beside the loop").start()
    return await done
