#!/bin/sh
# Run the jobs of this kit: run.sh SECONDS JOBS [--weights] [--without PATTERN]...
# for so many seconds (and up to 40 more to save the state), with so many GPU jobs side by side.
# The same command goes on. Results lie in returned.tar.gz: weights only with --weights, and no
# files whose paths match a PATTERN, such as '*.alignments.npz'.
[ $# -ge 2 ] || { echo "usage: $0 SECONDS JOBS [--weights] [--without PATTERN]..." >&2; exit 2; }
seconds=$1 jobs=$2
shift 2
cd "$(dirname "$0")" || exit

# A `python` that finds the packages of the kit, for Snakemake and for the shells of its jobs.
mkdir -p bin
cat > bin/python << END
#!/bin/sh
export PYTHONPATH='$PWD/src:$PWD/site'
exec '$(command -v python3)' "\$@"
END
chmod +x bin/python
export PATH="$PWD/bin:$PATH"
if [ -d wheels ] && [ ! -d site ]; then
    python3 -m pip install --quiet --no-index --no-deps --target site.part wheels/*.whl || exit
    mv site.part site
fi

# Left by a call that was killed.
python -m snakemake --unlock @WORDS@ > unlock.log 2>&1 || { cat unlock.log; exit 1; }
# It signals all processes below it: trainings save their state, and Snakemake starts no more jobs.
timeout --signal=TERM --kill-after=40 "$seconds" \
    python -m snakemake @WORDS@ --rerun-incomplete --resources gpu="$jobs"
code=$?
[ $code = 124 ] && echo "$0: time is up: the same command goes on"
python -m contextnmt.planning.collect "$@" || exit
exit $code
