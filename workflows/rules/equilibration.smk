# After each round of runs of one size, psflip doubles the sweeps of the batches with a realization that is not equilibrated. If averages
# drift, psflip doubles the sweeps of all batches. File names say what the files were made for (psflip/campaign/campaign.py).
localrules:
    criteria,
    equilibration,
    final,


def observables(batches):
    return [str(CAMPAIGN.observables(batch, end)) for batch, end in batches]


def go_on(L, end):
    """Returns the batches to extend beyond `end`; waits for the round."""
    checkpoints.equilibration.get(L=L, sweeps=end, content=CAMPAIGN.content(L))
    with plain_errors():
        return CAMPAIGN.go_on(L, end)


def round_input(wildcards):
    L, end = int(wildcards.L), int(wildcards.sweeps)
    if end > CAMPAIGN.sweeps(L):
        go_on(L, end // 2)
    return observables((batch, end) for batch in CAMPAIGN.in_round(L, end))


def final_input(wildcards):
    """The observables that count, and the rounds that they were found in."""
    L = int(wildcards.L)
    rounds = []
    for end in CAMPAIGN.rounds(L)[:-1]:
        rounds.append(str(CAMPAIGN.round_file(L, end)))
        if not go_on(L, end):
            break
    return rounds + observables(CAMPAIGN.final(L))


rule criteria:
    output:
        f"{OUT}/rounds/criteria-{{content}}.json",
    priority: BEFORE_SWEEPS
    shell:
        "{PYTHON:q} {PACKAGE:q} campaign.rounds criteria --study {STUDY_COPY:q} --results {OUT:q}"


checkpoint equilibration:
    input:
        round_input,
    output:
        f"{OUT}/rounds/L{{L}}-{{sweeps}}-{{content}}.json",
    log:
        f"{OUT}/logs/equilibration/L{{L}}-{{sweeps}}-{{content}}.log",
    priority: BEFORE_SWEEPS
    shell:
        "{PYTHON:q} {PACKAGE:q} campaign.rounds round --study {STUDY_COPY:q} --results {OUT:q} --L {wildcards.L}"
        " --sweeps {wildcards.sweeps} --program {BIN:q}/reduce-disorder > {log:q} 2>&1"


# The observables files of the last end of each batch, which the disorder averages take.
rule final:
    input:
        final_input,
    output:
        f"{OUT}/rounds/L{{L}}-final-{{content}}.json",
    log:
        f"{OUT}/logs/final/L{{L}}-{{content}}.log",
    priority: BEFORE_SWEEPS
    shell:
        "{PYTHON:q} {PACKAGE:q} campaign.rounds final --study {STUDY_COPY:q} --results {OUT:q} --L {wildcards.L} > {log:q} 2>&1"
