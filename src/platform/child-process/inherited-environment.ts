/** The server's environment holds keys and addresses, so a program inherits these variables only. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

export function inheritedEnvironment(environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(INHERITED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const])));
}
