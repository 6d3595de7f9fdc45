import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { matcherOf, type Matcher } from './matcher.js';

/** One command that the operator wants run at an event. */
export interface CommandHook {
  readonly event: string;
  /** As written; null matches everything. */
  readonly matcher: string | null;
  readonly matches: Matcher;
  readonly command: string;
  readonly timeoutMs: number;
}

/** Events at which this server runs hooks. A hook for any other would never run, which its owner should learn at start. */
export const HOOK_EVENTS = ['UserPromptSubmit'] as const;

/** Every fault of the hooks file in one error: where in the file, what was wrong, what to do. */
export class HooksFileError extends Error {
  override readonly name = 'HooksFileError';
}

const hook = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('command'),
      command: z.string().trim().min(1, 'must not be empty'),
      /** Seconds. */
      timeout: z.number().positive().max(86_400).optional(),
      /** Shown by terminals while the hook runs; there is none here. */
      statusMessage: z.string().optional(),
    }),
  ],
  { error: (issue) => `hooks of type ${JSON.stringify((issue.input as { type?: unknown } | null)?.type ?? null)} are not supported: use "type": "command"` },
);

const matcher = z.string().refine((text) => matcherOf(text) !== null, { error: 'is not a valid regular expression' });

const groups = z.array(z.strictObject({ matcher: matcher.optional(), hooks: z.array(hook) }));

/** The part of Claude Code's public settings that concerns hooks; a settings file may hold more, which is not looked at. */
const file = z.looseObject({
  disableAllHooks: z.boolean().optional(),
  hooks: z.record(z.string(), z.unknown()),
});

/** Reads the hooks of a settings file. Throws HooksFileError. `timeoutMs` is for hooks that name none. */
export function readHooksFile(path: string, timeoutMs: number): readonly CommandHook[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new HooksFileError(`HOOKS_FILE ${path} cannot be read (${String((error as { code?: unknown }).code)}).`);
  }
  return parseHooks(text, path, timeoutMs);
}

/** The same for the text of such a file. */
export function parseHooks(text: string, path: string, timeoutMs: number): readonly CommandHook[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new HooksFileError(`HOOKS_FILE ${path} is not JSON: ${(error as { message: string }).message}`);
  }
  const faults: string[] = [];
  const note = (where: readonly PropertyKey[], issues: readonly z.core.$ZodIssue[]) =>
    faults.push(...issues.map((issue) => `  ${[...where, ...issue.path].map(String).join('.') || 'the file'}: ${issue.message}`));

  const read = file.safeParse(json);
  if (!read.success) note([], read.error.issues);
  const hooks = Object.entries(read.data?.hooks ?? {}).flatMap(([event, value]) => {
    if (!(HOOK_EVENTS as readonly string[]).includes(event)) {
      faults.push(`  hooks.${event}: this server runs no hooks at this event; it does at ${HOOK_EVENTS.join(', ')}`);
      return [];
    }
    const parsed = groups.safeParse(value);
    if (!parsed.success) note(['hooks', event], parsed.error.issues);
    return (parsed.data ?? []).flatMap((group) =>
      group.hooks.map(({ command, timeout }) => ({
        event,
        matcher: group.matcher ?? null,
        matches: matcherOf(group.matcher) ?? (() => false),
        command,
        timeoutMs: timeout === undefined ? timeoutMs : Math.ceil(timeout * 1000),
      })),
    );
  });
  if (faults.length > 0) throw new HooksFileError(`HOOKS_FILE ${path} is not usable:\n${faults.join('\n')}`);
  return read.data?.disableAllHooks ? [] : hooks;
}
