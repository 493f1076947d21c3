#!/bin/bash
# An endpoint of the quic-interop-runner: what its environment variables ask for, with cc-server and cc-client.
# docs/interop.md has the contract and the reasons. Exit codes: 0 done, 1 failed, 127 unsupported test case.
#
# SERVER_PARAMS and CLIENT_PARAMS are words: CC=NAME[:OPTIONS] chooses the congestion controller, any other word is
# handed to cc-server or cc-client.
#
# The runner sets none of the following. The image may set ENDPOINT_CC; a rehearsal outside of a container sets the rest.
# ENDPOINT_PREFERRED is the address that leads to the last of ENDPOINT_LISTEN.
www=${ENDPOINT_WWW:-/www}
downloads=${ENDPOINT_DOWNLOADS:-/downloads}
certs=${ENDPOINT_CERTS:-/certs}
logs=${ENDPOINT_LOGS:-/logs}
programs=${ENDPOINT_PROGRAMS:-/usr/local/bin}
listen=${ENDPOINT_LISTEN:-0.0.0.0:443 [::]:443}

set -uf

unsupported() {
  echo "unsupported by the $ROLE: test case \"$TESTCASE\"${1:+: $1}"
  exit 127
}

# Splits the parameters of the role into $cc and the array $options.
read_params() {
  local word
  for word in $1; do
    case $word in
      CC=*) cc=${word#CC=} ;;
      *) options+=("$word") ;;
    esac
  done
}

# The congestion controller that is used unless the parameters name one.
default_cc() {
  case $TESTCASE in
    # The runner wants marked packets, and only a controller that responds to marks may send them (RFC 9000, 13.4).
    ecn) echo smallq ;;
    *) echo "${ENDPOINT_CC:-bbr2}" ;;
  esac
}

# The timestamps that quiche-cc's controllers like to have come in a frame that the runner's packet analyser cannot
# decode. Peers do not send them, so what is measured with them here would not be what they get.
common_options() {
  options+=(--receive-timestamps 0)
  # ENDPOINT_HTTP3: the local matrix has peers that speak nothing else.
  if [ "$TESTCASE" != http3 ] && [ -z "${ENDPOINT_HTTP3:-}" ]; then
    options+=(--http09)
  fi
  if [ -n "${QLOGDIR:-}" ]; then
    options+=(--qlog "$QLOGDIR")
  fi
  if [ "$TESTCASE" = multiconnect ]; then
    # A third of all packets gets lost: many tries early, and patience.
    options+=(--initial-rtt 100 --idle-timeout 120)
  fi
}

# Another port of this host, to which clients are asked to move.
prefer_other_port() {
  local name address port=4443
  if [ -n "${ENDPOINT_PREFERRED:-}" ]; then
    options+=(--preferred-address "$ENDPOINT_PREFERRED")
    return
  fi
  listen="$listen 0.0.0.0:$port [::]:$port"
  # As the runner names this host, by IPv4 and by IPv6.
  read -r address name < <(getent ahostsv4 server4) && options+=(--preferred-address "$address:$port")
  read -r address name < <(getent ahostsv6 server6) && options+=(--preferred-address "[$address]:$port")
}

serve() {
  case $TESTCASE in
    handshake | transfer | multiconnect | http3 | resumption | chacha20 | ecn) ;;
    retry) options+=(--retry) ;;
    zerortt) options+=(--early-data) ;;
    connectionmigration) prefer_other_port ;;
    v2) unsupported "quiche speaks QUIC version 1 only" ;;
    *) unsupported ;;
  esac
  [ -x /setup.sh ] && /setup.sh
  local address
  for address in $listen; do
    options+=(--listen "$address")
  done
  # In the place of this shell, so that the signal that ends the container arrives.
  exec "$programs/cc-server" --allow-any-address --cert "$certs/cert.pem" --key "$certs/priv.key" --root "$www" \
    --drain-timeout 0 --cc "$cc" "${options[@]}" >"$logs/server.jsonl" 2> >(tee "$logs/server.log" >&2)
}

fetch() {
  # A client that only receives has nothing to send when a NAT rebinds it: the server would not learn where it is now,
  # and nothing would arrive any more. A PING tells it (RFC 9308, section 3.2).
  local downloader=("$programs/cc-client" --ca "$certs/ca.pem" --out "$downloads" --json --no-progress --parallel
    --ping-interval 500 --connect-timeout 120 --timeout 280 --cc "$cc" "${options[@]}")
  "${downloader[@]}" "$@" >>"$logs/client.jsonl"
}

# One connection for each URL, some at a time, because the runner's patience is five minutes for fifty.
fetch_separately() {
  local url process failed=0 processes=()
  for url in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge 8 ]; do
      wait -n
    done
    fetch "$url" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" || failed=1
  done
  return $failed
}

download() {
  local how=fetch
  case $TESTCASE in
    handshake | http3 | ecn) ;;
    # Small enough that they have to grow during the transfer.
    transfer | retry) options+=(--stream-window 65536) ;;
    multiconnect) how=fetch_separately ;;
    resumption) options+=(--resume) ;;
    # quiche puts one STREAM frame into a packet: forty requests are forty packets, and too many for ten at the start.
    zerortt) options+=(--resume --early-data --initial-window 20) ;;
    chacha20) unsupported "BoringSSL always offers the AES suites of TLS 1.3, too" ;;
    keyupdate) options+=(--key-update) ;;
    v2) unsupported "quiche speaks QUIC version 1 only" ;;
    *) unsupported ;;
  esac
  if [ -x /setup.sh ]; then
    /setup.sh
    /wait-for-it.sh sim:57832 -s -t 30
  fi
  # shellcheck disable=SC2086 # URLs, separated by spaces
  $how $REQUESTS 2> >(tee "$logs/client.log" >&2) || exit 1
}

ROLE=${ROLE:-}
TESTCASE=${TESTCASE:-}
# Otherwise the shell's own 127 for a missing program would be read as "unsupported".
if ! [ -x "$programs/cc-server" ] || ! [ -x "$programs/cc-client" ]; then
  echo "$programs lacks cc-server or cc-client" >&2
  exit 1
fi
mkdir -p "$logs"
cc=$(default_cc)
options=()
common_options
case $ROLE in
  server)
    read_params "${SERVER_PARAMS:-}"
    serve
    ;;
  client)
    read_params "${CLIENT_PARAMS:-}"
    download
    ;;
  *)
    echo "ROLE is \"$ROLE\"; allowed: server, client" >&2
    exit 1
    ;;
esac
