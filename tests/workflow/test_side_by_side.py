"""Tasks in copies of this process."""

from functools import partial

import pytest
from psflip.campaign.errors import StudyError
from psflip.plots.side_by_side import side_by_side


def write(folder, number):
    (folder / str(number)).write_text(str(number))


def fail(error):
    raise error


def end():
    import os

    os._exit(3)


@pytest.mark.parametrize("processes", [1, 2, 5, 20])
def test_each_task_is_done_once(tmp_path, processes):
    side_by_side([partial(write, tmp_path, number) for number in range(7)], processes)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {str(n): str(n) for n in range(7)}


@pytest.mark.parametrize("processes", [1, 3])
def test_errors_are_raised_again(tmp_path, processes):
    with pytest.raises(StudyError, match="no room"):
        side_by_side([partial(write, tmp_path, 0), partial(fail, StudyError("no room")), partial(write, tmp_path, 2)], processes)


def test_a_process_that_dies_is_told(tmp_path):
    with pytest.raises(StudyError, match="code 3"):
        side_by_side([end, partial(write, tmp_path, 1)], 2)
    assert (tmp_path / "1").exists()
