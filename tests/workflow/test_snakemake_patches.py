"""psflip/jobs/snakemake_patches.py, with the executor's own functions replaced by ones that fail at first."""

import asyncio
import logging
import sys
from types import ModuleType, SimpleNamespace

import pytest
from psflip.jobs import earlier_jobs, snakemake_patches

plugin = pytest.importorskip("snakemake_executor_plugin_slurm")


@pytest.fixture
def failing(monkeypatch):
    """Lists of answers: of the query for states, and of that for MinJobAge."""
    states, ages = [], []

    async def query(command, logger):
        return states.pop(0)

    monkeypatch.setattr(plugin, "query_job_status", query)
    monkeypatch.setattr(plugin, "get_min_job_age", lambda: ages.pop(0))
    monkeypatch.delattr(plugin, "psflip_query_job_status", raising=False)
    monkeypatch.setattr(snakemake_patches, "PAUSE", 0.01)
    snakemake_patches.ask_slurm_again()
    snakemake_patches.ask_slurm_again()  # once is enough
    yield states, ages
    monkeypatch.delattr(plugin, "psflip_query_job_status")


def test_states_are_asked_for_until_slurm_answers(failing, caplog):
    failing[0][:] = [(None, None)] * 20 + [({"7": "RUNNING"}, 0.1)]
    assert asyncio.run(plugin.query_job_status("squeue --name x", logging.getLogger())) == ({"7": "RUNNING"}, 0.1)
    assert "Slurm does not report" in caplog.text


def test_min_job_age_once_known_stays(failing):
    failing[1][:] = [None, 300, None, None, None, 600]
    assert [plugin.get_min_job_age() for _ in range(5)] == [300, 300, 300, 300, 600]


def test_min_job_age_that_nobody_tells(failing):
    failing[1][:] = [None] * 3
    assert plugin.get_min_job_age() is None


@pytest.mark.parametrize("jobs, words", [(["7"], "waiting for 1 Slurm job of"), (["7", "8"], "waiting for 2 Slurm jobs of")])
def test_jobs_that_are_left_are_counted(tmp_path, monkeypatch, capsys, jobs, words):
    answers = [jobs, []]
    (tmp_path / ".slurm_runs").write_text("name\n")
    monkeypatch.setattr(earlier_jobs, "left", lambda _: answers.pop(0))
    monkeypatch.setattr(earlier_jobs, "SHORTEST", 0.0)
    earlier_jobs.wait(tmp_path)
    assert words in capsys.readouterr().err


def test_a_snakemake_that_has_changed_is_left_alone(monkeypatch):
    """Nothing is added to objects that lack what is changed, and nothing is raised."""
    pytest.importorskip("snakemake.cli")  # first: its modules import each other
    from snakemake.dag import DAG

    executor = ModuleType("executor")
    monkeypatch.delattr(DAG, "check_output_mtime")
    monkeypatch.setitem(sys.modules, snakemake_patches.SLURM, executor)
    workflow = SimpleNamespace(scheduler=SimpleNamespace(), group_settings=SimpleNamespace())
    snakemake_patches.apply(workflow)
    snakemake_patches.limit_resource(workflow, "gpu", 1, "local")
    snakemake_patches.set_group_sizes(workflow, {"L4": 3})
    assert snakemake_patches.name_of_jobs(workflow) is None and snakemake_patches.local_rules(workflow) == set()
    assert snakemake_patches.planned_jobs(workflow) == snakemake_patches.failed_jobs(workflow) == []
    assert not hasattr(DAG, "check_output_mtime") and not [name for name in vars(executor) if not name.startswith("__")]
    assert vars(workflow) == {"scheduler": SimpleNamespace(), "group_settings": SimpleNamespace()}


def test_what_the_command_line_says_of_groups_and_resources_stays():
    workflow = SimpleNamespace(group_settings=SimpleNamespace(group_components={"L4": 2}), global_resources={"gpu": 8})
    snakemake_patches.set_group_sizes(workflow, {"L4": 3, "L6": 3})
    snakemake_patches.limit_resource(workflow, "gpu", 1)
    assert workflow.group_settings.group_components == {"L4": 2} and workflow.global_resources == {"gpu": 8}
