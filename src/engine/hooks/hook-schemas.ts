import { z } from 'zod';
import type { FieldError } from '../../../packages/protocol/errors.js';
import { HOOK_EVENTS, type HookEvent } from '../../../packages/protocol/hooks/hook-events.js';
import type { CommandHook, Hook } from './definition.js';
import { type Matcher, matcherOf, plainMatcherOf } from './matcher.js';
import { pointerSegment } from '../../../packages/protocol/message/json-pointer.js';

/** What the author of a configuration may use. */
export interface HookRules {
  readonly source: 'deployment' | 'tenant';
  /** The plugin that brings the hooks; null for none. */
  readonly plugin: { readonly name: string; readonly directory: string } | null;
  /** The default timeout, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Null: unlimited. */
  readonly maxHooks: number | null;
  readonly commands: boolean;
  /** Whether matchers may be any regular expression. */
  readonly anyMatcher: boolean;
  /** Why a URL may not be called; null when it may. */
  readonly urlFault: (url: URL) => string | null;
  /** Values for `$NAME` in headers; null: headers are used as written. */
  readonly environment: Readonly<Record<string, string | undefined>> | null;
}

const MAX_HEADERS = 20;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Visible ASCII, spaces and tabs: a line break would start another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/;
/** Set by the server, or usable for request smuggling. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|upgrade|te|trailer|transfer-encoding|content-.*|accept-encoding|expect|proxy-.*|user-agent|verbatim-.*)$/i;
const MAX_URL_CHARACTERS = 2_048;

const base = {
  /** Seconds. */
  timeout: z.number().positive().optional(),
  /** Accepted for compatibility; terminals show it while the hook runs. */
  statusMessage: z.string().optional(),
};

const command = z.strictObject({
  type: z.literal('command'),
  command: z.string().trim().min(1, 'must not be empty'),
  sandbox: z.boolean().optional(),
  ...base,
});

const http = z.strictObject({
  type: z.literal('http'),
  url: z
    .string()
    .max(MAX_URL_CHARACTERS)
    .refine((text) => URL.canParse(text), 'is not a URL'),
  headers: z
    .record(
      z
        .string()
        .regex(HEADER_NAME, 'is not the name of a header')
        .refine((name) => !RESERVED_HEADER.test(name), 'is set by the server'),
      z.string().regex(HEADER_VALUE, 'must be one line of at most 4096 characters of ASCII'),
    )
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must not hold more than ${MAX_HEADERS}`)
    .optional(),
  allowedEnvVars: z.array(z.string()).optional(),
  ...base,
});

const hook = z.discriminatedUnion('type', [command, http], {
  error: (issue) => `hooks of type ${JSON.stringify((issue.input as { type?: unknown } | null)?.type ?? null)} are not supported: use "command" or "http"`,
});

const groups = z.array(z.strictObject({ matcher: z.string().max(1_000).optional(), hooks: z.array(hook) }));

type WrittenHook = z.infer<typeof hook>;

/** Reads the `hooks` of a settings file, and reports their faults. Pointers begin at `hooks`. */
export function readHooks(
  written: Readonly<Record<string, unknown>>,
  rules: HookRules,
): { readonly hooks: readonly Hook[]; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = [];
  const hooks: Hook[] = [];
  const note = (path: readonly PropertyKey[], text: string) => faults.push({ pointer: `/${path.map((part) => pointerSegment(String(part))).join('/')}`, text });
  for (const [event, value] of Object.entries(written)) {
    if (!isHookEvent(event)) {
      note([event], `this server runs no hooks at this event; supported events: ${HOOK_EVENTS.join(', ')}`);
      continue;
    }
    const parsed = groups.safeParse(value);
    for (const issue of parsed.error?.issues ?? []) note([event, ...issue.path], textOf(issue));
    for (const [index, group] of (parsed.data ?? []).entries()) {
      const matches = (rules.anyMatcher ? matcherOf : plainMatcherOf)(group.matcher);
      if (!matches)
        note([event, index, 'matcher'], rules.anyMatcher ? 'is not a valid regular expression' : 'may hold names, |, .*, ^ and $, and nothing else');
      for (const [at, each] of group.hooks.entries()) {
        const fault = faultIn(each, rules);
        if (fault) note([event, index, 'hooks', at, fault.member], fault.text);
        else hooks.push(define(each, { event, matcher: group.matcher ?? null, matches: matches ?? (() => false) }, rules));
      }
    }
  }
  if (rules.maxHooks !== null && hooks.length > rules.maxHooks)
    faults.push({ pointer: '', text: `there are ${hooks.length} hooks, and at most ${rules.maxHooks} are allowed` });
  return { hooks, faults };
}

/** For an invalid key, zod's reason is in the nested issue. */
const textOf = (issue: z.core.$ZodIssue): string => (issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message);

const isHookEvent = (name: string): name is HookEvent => (HOOK_EVENTS as readonly string[]).includes(name);

function faultIn(written: WrittenHook, rules: HookRules): { readonly member: string; readonly text: string } | null {
  if (written.timeout !== undefined && written.timeout * 1000 > rules.maxTimeoutMs)
    return { member: 'timeout', text: `must be at most ${rules.maxTimeoutMs / 1000} seconds` };
  if (written.type === 'command') return rules.commands ? null : { member: 'type', text: 'command hooks can only be configured by the operator; use "http"' };
  if (written.allowedEnvVars && rules.environment === null)
    return { member: 'allowedEnvVars', text: 'can only be configured by the operator; write the value of the header' };
  const url = new URL(written.url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { member: 'url', text: 'must begin with https:// or http://' };
  if (url.username !== '' || url.password !== '') return { member: 'url', text: 'must not contain a user or password; use a header' };
  const text = rules.urlFault(url);
  return text === null ? null : { member: 'url', text };
}

function define(written: WrittenHook, place: { event: HookEvent; matcher: string | null; matches: Matcher }, rules: HookRules): Hook {
  const { source, plugin } = rules;
  const shared = {
    ...place,
    source,
    plugin: plugin?.name ?? null,
    timeoutMs: written.timeout === undefined ? rules.timeoutMs : Math.ceil(written.timeout * 1000),
  };
  if (written.type === 'command') {
    const environment: CommandHook['environment'] = plugin ? { CLAUDE_PLUGIN_ROOT: plugin.directory } : {};
    const readable = plugin ? [plugin.directory] : [];
    return { ...shared, type: 'command', command: written.command, sandbox: written.sandbox ?? true, environment, readable };
  }
  const headers = Object.entries(written.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    fill(value, written.allowedEnvVars ?? [], rules.environment),
  ]);
  return { ...shared, type: 'http', url: written.url, headers: Object.fromEntries(headers) };
}

/** Replaces `$NAME` and `${NAME}` of allowed variables; any other becomes empty (public hooks reference). */
function fill(value: string, allowed: readonly string[], environment: HookRules['environment']): string {
  if (environment === null) return value;
  const text = value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return allowed.includes(name) ? (environment[name] ?? '') : '';
  });
  return text.replace(/[^\t\x20-\x7e]/g, '');
}
