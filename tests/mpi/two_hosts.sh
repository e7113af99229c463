#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do two hosts work together, and does each side notice when the network between them is cut? The hosts are network
# namespaces. usage: two_hosts.sh MPIRUN PROGRAM; exit status 77: this machine cannot do it.
set -uo pipefail
mpirun=$1 program=$2
id=px$$
work=$(mktemp -d)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

clean() {
  local host pid
  for host in a b; do
    for pid in $(ip netns pids "$id$host" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null; done
    ip netns del "$id$host" 2>/dev/null
  done
  ip link del "$id" 2>/dev/null
  rm -rf "$work"
}
trap clean EXIT

if ! ip netns add "${id}a" 2>/dev/null; then
  echo "skipped: network namespaces cannot be made here (root and iproute2 are needed)"
  exit 77
fi
ip netns add "${id}b" && ip link add "$id" type bridge && ip link set "$id" up || exit 77
n=0
for host in a b; do
  n=$((n + 1))
  ip link add "$id$host" type veth peer name eth0 netns "$id$host" &&
    ip link set "$id$host" master "$id" up &&
    ip netns exec "$id$host" sh -c "ip addr add 10.213.7.$n/24 dev eth0; ip link set eth0 up; ip link set lo up
      sysctl -qw net.ipv4.tcp_retries2=3" || exit 77 # mpirun ends when TCP gives up
done

# Instead of ssh: the daemon of the other host is started in its namespace, with a host name of its own.
cat >"$work/agent" <<END
#!/usr/bin/env bash
shift
exec ip netns exec ${id}b unshare --uts sh -c 'hostname ${id}b; exec "\$@"' sh bash -c "\$*"
END
chmod +x "$work/agent"

# on_two_hosts SECONDS ARGUMENT...
on_two_hosts() {
  ip netns exec "${id}a" unshare --uts sh -c "hostname ${id}a; exec \"\$@\"" sh \
    timeout -k 5 "$1" "$mpirun" --oversubscribe --host 10.213.7.1:2,10.213.7.2:2 -n 4 \
    --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca mpi_yield_when_idle 1 \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --mca orte_tmpdir_base "$work" \
    --mca shmem_mmap_backing_file_base_dir "$work" \
    --mca ess_hnp_forward_signals none \
    "$program" "${@:2}"
}

if ! on_two_hosts 60 none 0 5000 >"$work/log" 2>&1; then
  cat "$work/log"
  echo "FAILED: the hosts do not work together"
  exit 1
fi
if (($(grep -c 'all is well' "$work/log") != 4)); then
  cat "$work/log"
  echo "FAILED: not all ranks are well"
  exit 1
fi

on_two_hosts 60 forever 0 4000 >"$work/log" 2>&1 &
job=$!
for ((i = 0; i < 200; i++)); do
  (($(grep -c works "$work/log") == 4)) && break
  sleep 0.1
done
sleep 1
ip link set "${id}b" nomaster
cut=$(date +%s%N)
named() { grep -qE 'rank [01] (of 4: .*|ended: .*)rank [23] \(last in' "$work/log"; }
left() {
  local pid
  for pid in $(ip netns pids "${id}a") $(ip netns pids "${id}b"); do
    [[ $(readlink "/proc/$pid/exe") == "$program" ]] && echo "$pid"
  done 2>/dev/null | wc -l
}
named_after=-1 gone_after=-1
for ((i = 0; i < 200; i++)); do
  now=$((($(date +%s%N) - cut) / 1000000))
  if ((named_after < 0)) && named; then named_after=$now; fi
  # The ranks of the cut-off host end too, though nobody there hears them say it.
  if ((gone_after < 0 && $(left) == 0)); then gone_after=$now; fi
  ((named_after >= 0 && gone_after >= 0)) && break
  sleep 0.1
done
wait "$job"
status=$?
cat "$work/log"
echo "status $status; named after $named_after ms, no rank left after $gone_after ms"
((named_after >= 0 && named_after < 5000 && gone_after >= 0 && gone_after < 10000 && status != 0 && status != 124))
