# With --config audit=N: N runs, drawn from all that the averages stand on, are done again in part on another backend and compared bit
# for bit. The report shows them; if one is not equal, the workflow ends with an error.
AUDITS = PLAN.options["audit"]
if AUDITS:
    with plain_errors():
        PLAN.programs.need("audit")
AUDIT_SAMPLE = f"{OUT}/audit/sample-{AUDITS}-{CAMPAIGN.averaged()}.json"
AUDIT_PASSED = f"{OUT}/audit/passed-{AUDITS}-{CAMPAIGN.averaged()}.txt"


localrules:
    audit_sample,
    audited,


def audits(wildcards):
    if not AUDITS:
        return []
    file = Path(checkpoints.audit_sample.get().output[0])
    with plain_errors():
        return [f"{OUT}/audit/L{piece['L']}-{piece['batch']}-{piece['sweeps']}.json" for piece in read_sample(file)]


checkpoint audit_sample:
    input:
        str(CAMPAIGN.stamp()),
    output:
        AUDIT_SAMPLE,
    shell:
        "{PYTHON:q} {PACKAGE:q} campaign.audit_sample choose --study {STUDY_COPY:q} --results {OUT:q} --pieces {AUDITS} --out {output:q}"


# A rerun that differs (exit code 1, and the result is there) is a result like any other: the report shows it.
rule audit:
    input:
        PLAN.audit_input,
    output:
        f"{OUT}/audit/{JOB}-{{sweeps}}.json",
    log:
        f"{OUT}/logs/audit/{JOB}-{{sweeps}}.log",
    benchmark:
        f"{OUT}/benchmarks/audit/{JOB}-{{sweeps}}.tsv"
    threads: PLAN.job_threads
    params:
        resumable=PLAN.resumable,
    shell:
        "{params.resumable} {PYTHON:q} {PACKAGE:q} campaign.audit_sample run {BIN:q}/audit --config {STUDY_COPY:q} --L {wildcards.L}"
        " --disorder {input[0]:q} --state {input[1]:q} --run {input[2]:q} --end-state {input[3]:q} --out {output:q}"
        " --threads {threads} {TIME_LIMIT} >> {log:q} 2>&1 || {{ code=$?; [ $code = 1 ] && [ -s {output:q} ] || exit $code; }}"


rule audited:
    input:
        audits,
        f"{OUT}/report.html",
        f"{OUT}/study.zip",
    output:
        AUDIT_PASSED,
    shell:
        "{PYTHON:q} {PACKAGE:q} campaign.audit_sample check --out {output:q} --files {input:q}"
