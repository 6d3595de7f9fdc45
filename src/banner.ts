import type { Running } from './start.js';

/** The text written to standard error after a start (standard output is the log): the link to sign in once, the address, and a command to try. */
export function printBanner({ url, provider, firstToken, signInLink }: Running, role: string, tokenFile: string): string {
  const lines = [`Verbatim (${role}) is ready on ${url}`];
  if (signInLink !== null) lines.push('', 'Open this to sign in, once and soon (verbatim sign-in-link prints another link):', `  ${signInLink}`);
  if (provider === 'offline' && role !== 'api') lines.push('', 'No ANTHROPIC_API_KEY: the built-in offline model answers.');
  if (role !== 'worker') lines.push(`The API and its documentation: ${url}/docs`);
  if (firstToken !== null) lines.push(`A token for it is in ${tokenFile}:`, `  curl -H "Authorization: Bearer $(cat ${quoted(tokenFile)})" ${url}/v1/me`);
  return `\n${lines.join('\n')}\n\n`;
}

/** For a POSIX shell. */
const quoted = (file: string): string => (/^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`);
