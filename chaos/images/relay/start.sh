# Run a relay: "reference_relay", or "broken_relays NAME". RELAY_YAML holds the text of its configuration file.
set -eu
if [ -n "${RELAY_YAML:-}" ]; then
    (umask 077 && printf '%s\n' "$RELAY_YAML" > /run/relay.yaml)
    set -- "$@" --config /run/relay.yaml
fi
exec python -m "$@" --host 0.0.0.0 --port 8090 --data /data
