import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Hook } from './definition.js';
import { readHooks } from './hook-schemas.js';

/** Every fault of the hooks file in one error: where in the file, what was wrong, what to do. */
export class HooksFileError extends Error {
  override readonly name = 'HooksFileError';
  readonly code = 'hooks_file_unusable';
}

export interface FileTerms {
  /** For hooks that name no time of their own, in milliseconds. */
  readonly timeoutMs: number;
  /** What headers may take variables from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const LONGEST_MS = 86_400_000;

/** The part of Claude Code's public settings that concerns hooks; a settings file may hold more, which is not looked at. */
const file = z.looseObject({
  disableAllHooks: z.boolean().optional(),
  hooks: z.record(z.string(), z.unknown()),
});

/** Reads the hooks of a settings file. Throws HooksFileError. */
export function readHooksFile(path: string, terms: FileTerms): readonly Hook[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new HooksFileError(`HOOKS_FILE ${path} cannot be read (${String((error as { code?: unknown }).code)}).`);
  }
  return parseHooks(text, path, terms);
}

/** The same for the text of such a file. */
export function parseHooks(text: string, path: string, { timeoutMs, environment }: FileTerms): readonly Hook[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new HooksFileError(`HOOKS_FILE ${path} is not JSON: ${(error as { message: string }).message}`);
  }
  const read = file.safeParse(json);
  const { hooks, faults } = readHooks(read.data?.hooks ?? {}, {
    source: 'deployment',
    timeoutMs,
    maxTimeoutMs: LONGEST_MS,
    maxHooks: null,
    commands: true,
    anyMatcher: true,
    refuseUrl: () => null,
    environment,
  });
  const lines = [
    ...(read.error?.issues ?? []).map((issue) => `  ${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`),
    ...faults.map((fault) => `  hooks${fault.pointer.replaceAll('/', '.')}: ${fault.text}`),
  ];
  if (lines.length > 0) throw new HooksFileError(`HOOKS_FILE ${path} is not usable:\n${lines.join('\n')}`);
  return read.data?.disableAllHooks ? [] : hooks;
}
