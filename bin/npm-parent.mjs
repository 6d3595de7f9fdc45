/** How often, in milliseconds. */
const POLL_MS = 500;

/** The scripts of package.json that begin with `exec`, and npx. */
const STARTED_BY = ['start', 'dev', 'npx'];

/**
 * Calls `end` when the npm that runs this process is gone. npm forwards SIGINT and SIGTERM; when it dies of anything else (SIGHUP, SIGKILL), only a changed
 * parent process shows it. A script in package.json begins with `exec`: npm starts a shell, and a shell that waits for this process would die of the signals
 * that npm forwards, and not forward them. Without npm there is nothing to watch.
 */
export function onNpmGone(end) {
  if (!STARTED_BY.includes(process.env.npm_lifecycle_event)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, POLL_MS);
  timer.unref();
}
