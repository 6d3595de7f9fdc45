/** Model aliases in skill files: the newest model of each line. */
const ALIASES: Readonly<Record<string, string>> = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
};

/** The model id that an alias stands for; null for anything else. */
export function modelOfAlias(name: string): string | null {
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? null) : null;
}
