"""The warnings of reduce-disorder that say something about a particular study, with a remedy that helps."""

from __future__ import annotations

from psflip.results.literature import Model

WITHOUT_HOTTEST = "temperature walk, not the hottest temperature"  # in the basis of verdicts without the memory of the hottest temperature
COLDER = "so that exchange only moves configurations that stay in their valleys; raise temperatures.max, longer runs help only where it is nearly hot enough"
HOT = 4.0  # times the dimension, in J/k_B: above this temperature a Metropolis update flips nearly every spin
ALTERNATES = (
    "because dynamics.update: metropolis flips nearly every spin in every sweep at this temperature, and configurations return after two sweeps; "
    "set dynamics.update: heat-bath, or lower temperatures.max to {T:g} or less"
)


def unavoidable(text: str, model: Model) -> bool:
    """Whether every run of this model has the warning: in a field spins are never forgotten, and runs of vector spins do not record the memory of the hottest temperature. The section on
    equilibration says what verdicts rest on."""
    return WITHOUT_HOTTEST in text and (bool(model.field) or model.vectors)


def with_remedy(text: str, hottest: float, update: str, model: Model) -> str:
    """The warning of a hottest temperature that keeps its spins advises raising it. A Metropolis ladder that is too hot needs another remedy."""
    limit = HOT * model.dimension
    return text.replace(COLDER, ALTERNATES.format(T=limit)) if update == "metropolis" and hottest > limit else text


def size_warnings(texts: tuple[str, ...], hottest: float, config: dict, model: Model) -> tuple[str, ...]:
    update = (config.get("dynamics") or {}).get("update", "metropolis")
    return tuple(with_remedy(text, hottest, update, model) for text in texts if not unavoidable(text, model))
