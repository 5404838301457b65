#!/bin/sh
# Run the jobs of this kit: run.sh SECONDS JOBS [--weights] [--without PATTERN]...
# for SECONDS (and up to 40 more to save the state), with JOBS GPU jobs at a time.
# Run the same command again to continue. Results lie in returned.tar.gz: weights only with --weights, and no
# files whose paths match a PATTERN, such as '*.alignments.npz'.
usage() { echo "usage: $0 SECONDS JOBS [--weights] [--without PATTERN]..." >&2; exit 2; }
[ $# -ge 2 ] || usage
case $1$2 in *[!0-9]*) usage ;; esac
seconds=$1 jobs=$2
shift 2
cd "$(dirname "$0")" || exit
case $PWD in *[:\'\"\\\$]*) echo "$PWD: unpack the kit in a folder with a plain name" >&2; exit 2 ;; esac

# One call at a time: what another one has locked is not to be unlocked.
exec 9> lock
flock --nonblock 9 || { echo "$0: another call runs in $PWD" >&2; exit 2; }

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
    rm -rf site.part
    python3 -m pip install --quiet --no-index --no-deps --target site.part wheels/*.whl || exit
    mv site.part site
fi
python -m contextnmt.planning.kit --check "$@" || exit

# Left by a call that was killed.
python -m snakemake --unlock @WORDS@ > unlock.log 2>&1 || { cat unlock.log; exit 1; }
# `timeout` signals Snakemake and its jobs: trainings save their state, and no more jobs start.
timeout --signal=TERM --kill-after=40 "$seconds" \
    python -m snakemake @WORDS@ --rerun-incomplete --resources gpu="$jobs" download=2 &
trap 'kill -TERM $!' INT TERM HUP
wait $!
code=$?
# A signal ends a wait, not what is waited for.
while kill -0 $! 2> /dev/null; do
    wait $!
    code=$?
done
[ $code = 124 ] && echo "$0: time is up; run the same command again to continue"
python -m contextnmt.planning.kit "$@" || exit
exit $code
