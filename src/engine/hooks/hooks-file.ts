import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Hook } from './definition.js';
import { type HookRules, readHooks } from './hook-schemas.js';

/** All faults of the hooks file in one error, each with its place in the file and what to do. */
export class HooksFileError extends Error {
  override readonly name = 'HooksFileError';
  readonly code = 'hooks_file_unusable';
}

export interface HooksFileOptions {
  /** The default timeout, in milliseconds. */
  readonly timeoutMs: number;
  /** Values for variables in headers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MAX_TIMEOUT_MS = 86_400_000;

/** The hooks part of Claude Code's public settings format; other members are ignored. */
const file = z.looseObject({
  disableAllHooks: z.boolean().optional(),
  hooks: z.record(z.string(), z.unknown()),
});

/** Reads the hooks of a settings file. Throws HooksFileError. */
export function readHooksFile(path: string, options: HooksFileOptions): readonly Hook[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new HooksFileError(`HOOKS_FILE ${path} cannot be read (${String((error as { code?: unknown }).code)}).`);
  }
  return parseHooks(text, path, options);
}

/**
 * The hooks of a plugin, which commands find through CLAUDE_PLUGIN_ROOT. Plugins are written for other programs too, so what this server does not support is left
 * out and listed.
 */
export function readPluginHooks(
  json: unknown,
  plugin: { readonly name: string; readonly directory: string },
  options: HooksFileOptions,
): { readonly hooks: readonly Hook[]; readonly problems: readonly string[] } {
  const read = file.safeParse(json);
  if (!read.success) return { hooks: [], problems: ['hooks: must be an object by event'] };
  const { name, directory } = plugin;
  const { hooks, faults } = readHooks(read.data.hooks, operatorRules(options, { name, directory }));
  return { hooks, problems: faults.map((fault) => `hooks${fault.pointer.replaceAll('/', '.')}: ${fault.text}`) };
}

function operatorRules({ timeoutMs, environment }: HooksFileOptions, plugin: HookRules['plugin']): HookRules {
  const unlimited = { maxTimeoutMs: MAX_TIMEOUT_MS, maxHooks: null, commands: true, anyMatcher: true, urlFault: () => null };
  return { source: 'deployment', plugin, timeoutMs, ...unlimited, environment };
}

/** As `readHooksFile`, from the text of the file. */
export function parseHooks(text: string, path: string, options: HooksFileOptions): readonly Hook[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new HooksFileError(`HOOKS_FILE ${path} is not JSON: ${(error as { message: string }).message}`);
  }
  const read = file.safeParse(json);
  const { hooks, faults } = readHooks(read.data?.hooks ?? {}, operatorRules(options, null));
  const lines = [
    ...(read.error?.issues ?? []).map((issue) => `  ${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`),
    ...faults.map((fault) => `  hooks${fault.pointer.replaceAll('/', '.')}: ${fault.text}`),
  ];
  if (lines.length > 0) throw new HooksFileError(`HOOKS_FILE ${path} is not usable:\n${lines.join('\n')}`);
  return read.data?.disableAllHooks ? [] : hooks;
}
