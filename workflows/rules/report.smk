# The page comes first: its figures are SVG, drawn as soon as what they show is there. PNG and PDF belong to the archive, which is made last.
def drawn(source, *endings):
    """Figures of the averages, of the critical point, or all."""
    return [f"{OUT}/plots/{name}.{ending}" for name in figures.names_of(model_of(STUDY.data), source) for ending in endings]


CRITICAL = bool(drawn("critical", "svg"))  # a model without crossings has no figures of the critical point
PLOTS = f"{module('plots.plots')} --reduced {shlex.quote(OUT)}/reduced.h5 --results {shlex.quote(OUT)} --out {shlex.quote(OUT)}/plots"


# Quotients and extrapolation: T_c and exponents, with their figures.
rule critical:
    input:
        f"{OUT}/reduced.h5",
    output:
        drawn("critical", "svg"),
        json=f"{OUT}/critical.json",
        csv=f"{OUT}/critical.csv",
    log:
        f"{OUT}/logs/critical.log",
    benchmark:
        f"{OUT}/benchmarks/critical.tsv"
    priority: 1
    params:
        draw=f"{PLOTS} --critical {shlex.quote(OUT)}/critical.json --source critical --formats svg" if CRITICAL else ":",
    resources:
        runtime=PLAN.analysis_runtime("critical"),
        mem_mb=PLAN.analysis_memory("critical"),
    shell:
        "{{ {PYTHON:q} {PACKAGE:q} critical.analysis --reduced {input:q} --json {output.json:q} --csv {output.csv:q}; {params.draw}; }} > {log:q} 2>&1"


rule plots:
    input:
        f"{OUT}/reduced.h5",
    output:
        drawn("averages", "svg"),
    log:
        f"{OUT}/logs/plots.log",
    benchmark:
        f"{OUT}/benchmarks/plots.tsv"
    priority: 2
    threads: PLAN.drawing_threads(1)
    params:
        draw=f"{PLOTS} --source averages --formats svg",
    resources:
        runtime=PLAN.analysis_runtime("plots"),
        mem_mb=PLAN.analysis_memory("plots"),
    shell:
        "{params.draw} --threads {threads} > {log:q} 2>&1"


# Tables: crossings and the meaning of all columns, differences between parts of the runs, and what made each file. Provenance changes with every new file, and so does reduced.h5.
HERE = shlex.quote(OUT)
TABLES = {
    "crossings": (f"results.crossings --reduced {HERE}/reduced.h5 --out {HERE}/crossings.csv --columns {HERE}/columns.csv", "crossings.csv", "columns.csv"),
    "paired": (f"results.paired --reduced {HERE}/reduced.h5 --out {HERE}/equilibration.csv", "equilibration.csv"),
    "provenance": (f"results.provenance --results {HERE} --out {HERE}/provenance.csv", "provenance.csv"),
}
for table, (words, *files) in TABLES.items():

    rule:
        name:
            table
        input:
            f"{OUT}/reduced.h5",
        output:
            [f"{OUT}/{file}" for file in files],
        log:
            f"{OUT}/logs/{table}.log",
        benchmark:
            f"{OUT}/benchmarks/{table}.tsv"
        resources:
            runtime=PLAN.analysis_runtime(table),
            mem_mb=PLAN.analysis_memory(table),
        params:
            words=words,  # the shell command is put together after the loop
        shell:
            "{PYTHON:q} {PACKAGE:q} {params.words} > {log:q} 2>&1"


# Parts of a campaign that not every study has; the report and the archive are made again when one is new.
def where_there(wildcards):
    return [str(file) for pattern in ("ladder/L*.*", "audit/*.json") for file in visible(Path(OUT), pattern)]


rule report:
    input:
        where_there,
        reduced=f"{OUT}/reduced.h5",
        csv=f"{OUT}/results.csv",
        crossings=f"{OUT}/crossings.csv",
        critical=f"{OUT}/critical.json",
        paired=f"{OUT}/equilibration.csv",
        provenance=f"{OUT}/provenance.csv",
        plots=drawn("all", "svg"),
        audits=audits,
    output:
        f"{OUT}/report.html",
    log:
        f"{OUT}/logs/report.log",
    benchmark:
        f"{OUT}/benchmarks/report.tsv"
    resources:
        runtime=PLAN.analysis_runtime("report"),
        mem_mb=PLAN.analysis_memory("report"),
    shell:
        "{PYTHON:q} {PACKAGE:q} report.report --results {OUT:q} --study {STUDY_COPY:q} --out {output:q} > {log:q} 2>&1"


# All that is handed over of a study.
rule study_zip:
    input:
        [f"{OUT}/{name}" for name in ("report.html", "reduced.h5", *manifest.TABLES)],
        f"{OUT}/critical.json",
        where_there,
        drawn("all", "svg"),
    output:
        drawn("all", "png", "pdf"),
        archive=f"{OUT}/study.zip",
    log:
        f"{OUT}/logs/study_zip.log",
    benchmark:
        f"{OUT}/benchmarks/study_zip.tsv"
    threads: PLAN.drawing_threads(0)
    params:
        draw=f"{PLOTS} --critical {shlex.quote(OUT)}/critical.json --formats png pdf",
    resources:
        runtime=PLAN.analysis_runtime("study_zip"),
        mem_mb=PLAN.analysis_memory("study_zip"),
    shell:
        "{{ {params.draw} --threads {threads}; {PYTHON:q} {PACKAGE:q} results.study_zip --results {OUT:q} --study {STUDY_COPY:q} --out {output.archive:q}; }} > {log:q} 2>&1"
