# Make a cluster in /data unless one is there, then become the server. Its arguments are further server options.
set -eu
binaries=$(echo /usr/lib/postgresql/*/bin)
chown postgres /data
if [ ! -s /data/PG_VERSION ]; then
    # Without a locale the encoding would be SQL_ASCII, which the Python SDK can't read.
    setpriv --reuid=postgres --regid=postgres --clear-groups \
        "$binaries/initdb" -D /data -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
    echo "host all all all trust" >> /data/pg_hba.conf
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$binaries/postgres" -D /data \
    -c listen_addresses='*' -c max_connections=400 "$@"
