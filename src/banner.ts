import type { Running } from './start.js';

/** The text written to standard error after a start (standard output is the log): address, documentation, and a link to sign in once, on the first start the token and a command to try. */
export function printBanner({ url, provider, firstToken, signInLink }: Running, role: string, tokenFile: string): string {
  const lines = [`Verbatim (${role}) is ready on ${url}`];
  if (provider === 'offline' && role !== 'api') lines.push('No ANTHROPIC_API_KEY: the built-in offline model answers.');
  if (role !== 'worker') lines.push(`The API and its documentation: ${url}/docs`);
  if (signInLink !== null) lines.push('To sign in with a browser, once and soon (npm run -s sign-in-link prints another link):', `  ${signInLink}`);
  if (firstToken !== null) {
    lines.push(
      `Your token, shown this once (and kept in ${tokenFile}):`,
      `  ${firstToken}`,
      'Copy this to see an answer stream in (Ctrl-C ends it):',
      `  ${curl(url, firstToken)}`,
    );
  }
  return `\n${lines.join('\n')}\n\n`;
}

/** One POSIX shell line: creates a session, follows its event stream, submits a prompt a second later. */
function curl(url: string, token: string): string {
  const ask = `curl -sS -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  const session = `S=$(${ask} -d '{}' ${url}/v1/sessions | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`;
  const prompt = `(sleep 1; ${ask} -d '{"input":"{{slow 40}}{{long 60}}"}' ${url}/v1/sessions/$S/prompts >/dev/null)`;
  return `${session}; ${prompt} & ${ask} -N ${url}/v1/sessions/$S/events/stream`;
}
