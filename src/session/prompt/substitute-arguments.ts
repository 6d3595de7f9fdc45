export interface Substitution {
  /** The text after the command's name, as typed. */
  readonly args: string;
  readonly argumentNames: readonly string[];
  readonly skillDirectory: string | null;
  readonly sessionId: string;
}

/** A word, or several in quotes that enclose the whole argument. */
const ARGUMENT = /"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g;

const PLACEHOLDER = /(\\?)\$(?:\{(CLAUDE_SKILL_DIR|CLAUDE_SESSION_ID)\}|ARGUMENTS\[(\d{1,4})\]|(ARGUMENTS)\b|(\d{1,4})(?!\w)|([A-Za-z_]\w*))/g;

/**
 * Substitutes a call's arguments into a skill's text, in one pass: placeholders inside arguments are not substituted. `$ARGUMENTS` is the whole argument text,
 * `$ARGUMENTS[n]` the nth argument from 0, `$name` a named one. `$n` counts from 0 in texts that use `$0` or `$ARGUMENTS[n]`, and from 1 in others. A placeholder without
 * an argument becomes empty; a backslash escapes it. Arguments of a text without placeholders are appended.
 */
export function substituteArguments(text: string, { args, argumentNames, skillDirectory, sessionId }: Substitution): string {
  const words = [...args.matchAll(ARGUMENT)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
  const first = /\$(?:0(?!\w)|ARGUMENTS\[)/.test(text) ? 0 : 1;
  let used = false;
  const argument = (value: string | undefined): string => {
    used = true;
    return value ?? '';
  };
  const filled = text.replace(PLACEHOLDER, (whole, escape: string, variable?: string, index?: string, all?: string, position?: string, name?: string) => {
    const named = name === undefined ? -1 : argumentNames.indexOf(name);
    if (name !== undefined && named === -1) return whole;
    if (escape !== '') return whole.slice(1);
    if (variable === 'CLAUDE_SESSION_ID') return sessionId;
    if (variable !== undefined) return skillDirectory ?? whole;
    if (all !== undefined) return argument(args);
    if (index !== undefined) return argument(words[Number(index)]);
    return argument(words[position === undefined ? named : Number(position) - first]);
  });
  return used || args === '' ? filled : `${filled}\n\nARGUMENTS: ${args}`;
}
