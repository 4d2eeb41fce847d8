"""The jobs of one call of the workflow, as the plan counts them, for the line that `psflip run` shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from psflip.campaign.campaign import Batch, Campaign
from psflip.plan.estimate import Cost, Estimate
from psflip.plan.planning import SECONDS, SIMULATIONS, cost, count_jobs

OF_BATCH = ("disorder", "measure", *SIMULATIONS)


class KnownJobs:
    """`campaign()` reads the folder of results anew; `cost_of(rule, batch, end)` is the cost of a job of a batch."""

    def __init__(self, campaign: Callable[[], Campaign], estimate: Estimate, cost_of: Callable[[str, Batch, int], Cost]):
        self.campaign, self.estimate, self.cost_of = campaign, estimate, cost_of
        self.done_before: Counter = Counter()

    def begin(self) -> bool:
        """Notes the jobs that are done when the call begins. Returns False if none is missing."""
        whole, missing = count_jobs(self.campaign(), most=False)
        self.done_before = whole - missing
        return bool(+missing)

    def count(self) -> tuple[int, float]:
        """Returns number and seconds of the jobs of this call that are known to be needed; each round of a study may add some."""
        jobs = count_jobs(self.campaign(), most=False)[0] - self.done_before
        return jobs.total(), sum(number * cost(self.estimate, key).seconds for key, number in jobs.items())

    def seconds(self, rule: str, wildcards: dict[str, str]) -> float:
        """Returns the time of a job; 1 for a job of seconds."""
        if "batch" in wildcards and rule in OF_BATCH:
            return self.cost_of(rule, Batch.of(wildcards["L"], wildcards["batch"]), int(wildcards.get("sweeps", 0))).seconds
        return self.estimate.reduce().seconds if rule == "reduce" else SECONDS.get(rule, 1.0)
