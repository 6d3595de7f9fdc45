import type { DestinationStream } from 'pino';

/** Members that a line shows in a separate place, or not at all. */
const SHOWN: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'context', 'err', 'stack']);

/** The lines of the log for a person at a terminal: time, level, text, and the other members after it. */
export function terminalLines(output: Pick<NodeJS.WritableStream, 'write'>): DestinationStream {
  return { write: (line) => void output.write(`${terminalLine(JSON.parse(line) as Readonly<Record<string, unknown>>)}\n`) };
}

export function terminalLine(entry: Readonly<Record<string, unknown>>): string {
  const { level, time, msg, context, err, stack } = entry;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const members = Object.entries(entry).flatMap(([name, value]) => (SHOWN.has(name) ? [] : [`${name}=${textOf(value)}`]));
  const head = [clock, String(level).padEnd(5), ...(context === undefined ? [] : [`[${textOf(context)}]`]), textOf(msg ?? ''), ...members].join(' ');
  const trace = (err as { readonly stack?: unknown } | undefined)?.stack ?? stack;
  return trace === undefined
    ? visible(head)
    : `${visible(head)}\n${String(trace)
        .split('\n')
        .map((line) => `  ${visible(line)}`)
        .join('\n')}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What others sent cannot move the cursor, colour the terminal, or begin a line. */
const visible = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
