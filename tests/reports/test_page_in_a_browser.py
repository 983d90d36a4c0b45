"""Test the layout of the page of findings in a browser, if one is installed: phone, laptop and large screen."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from programs import read_data

from lusory.game import Game
from lusory.reports import simulation_html
from lusory.stats.parallel_simulation import Simulation
from lusory.stats.simulation_report_builder import ReportBuilder
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STALLS = Path(__file__).parents[1] / "fixtures" / "stalls.yaml"

FRAME = DATA["frame"]
"""Frames as wide as windows. For each, the title names its width, how much wider the page is, and the number of plots,
flat plots, plots that stick out, and words that begin outside."""

SIZES = ((390, 844), (1280, 800), (1920, 1080))


def measure_page(page: Path, folder: Path) -> list[list[int]]:
    """Return what the browser measures of a page at each size."""
    frames = "".join(
        f'<iframe src="{page.name}" width="{width}" height="{height}" style="border: 0"></iframe>'
        for width, height in SIZES
    )
    frame = folder / "frames.html"
    frame.write_text(FRAME.format(frames=frames), encoding="utf-8")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    command += [f"--user-data-dir={folder / 'browser'}", "--virtual-time-budget=5000", "--dump-dom", frame.as_uri()]
    output = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    title = re.search("<title>(.*?)</title>", output)
    assert title is not None, output[:500]
    return sorted([int(number) for number in part.split(" ")] for part in title[1].split(";"))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_page_fits_every_window(tmp_path: Path) -> None:
    stalls = tmp_path / "stalls.yaml"
    long = STALLS.read_text(encoding="utf-8").replace("Stalls <b>", f"Stalls {'w' * 60} <b>")
    stalls.write_text(long, encoding="utf-8")
    game = Game(load_program(stalls), 2)
    observations = Simulation(game, ("random", "random"), 12, seed=1, has_details=True).run().observations
    assert observations is not None
    page = tmp_path / "page.html"
    page.write_text(
        simulation_html.write_page(ReportBuilder(game, ("random",) * 2, {}, 1, observations).build()), encoding="utf-8"
    )
    plots = page.read_text(encoding="utf-8").count("<svg")
    assert measure_page(page, tmp_path) == [[width, 0, plots, 0, 0, 0] for width, _ in SIZES]
