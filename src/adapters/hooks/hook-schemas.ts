import { z } from 'zod';
import type { Fault } from '../../core/errors.js';
import { HOOK_EVENTS, type HookEvent } from '../../core/ports.js';
import type { Hook } from './definition.js';
import { type Matcher, matcherOf, plainMatcherOf } from './matcher.js';

/** Who may write what. */
export interface HookTerms {
  readonly source: 'deployment' | 'tenant';
  /** For hooks that name no time of their own, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Null: as many as there are. */
  readonly maxHooks: number | null;
  readonly commands: boolean;
  /** Whether matchers may be any regular expression. */
  readonly anyMatcher: boolean;
  /** What is wrong with an address, if anything. */
  readonly refuseUrl: (url: URL) => string | null;
  /** Where `$NAME` in a header is taken from; null where it stays as it is. */
  readonly environment: Readonly<Record<string, string | undefined>> | null;
}

const MOST_HEADERS = 20;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Visible ASCII and blanks: a line break would be a header of its own. */
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/;
/** Ours to set, or a way to smuggle a second request. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|upgrade|te|trailer|transfer-encoding|content-.*|accept-encoding|expect|proxy-.*|user-agent|verbatim-.*)$/i;
const MOST_URL = 2_048;

const base = {
  /** Seconds. */
  timeout: z.number().positive().optional(),
  /** Shown by terminals while the hook runs; there is none here. */
  statusMessage: z.string().optional(),
};

const command = z.strictObject({ type: z.literal('command'), command: z.string().trim().min(1, 'must not be empty'), ...base });

const http = z.strictObject({
  type: z.literal('http'),
  url: z
    .string()
    .max(MOST_URL)
    .refine((text) => URL.canParse(text), 'is not a URL'),
  headers: z
    .record(
      z
        .string()
        .regex(HEADER_NAME, 'is not the name of a header')
        .refine((name) => !RESERVED_HEADER.test(name), 'is set by the server'),
      z.string().regex(HEADER_VALUE, 'must be one line of at most 4096 characters of ASCII'),
    )
    .refine((headers) => Object.keys(headers).length <= MOST_HEADERS, `must not hold more than ${MOST_HEADERS}`)
    .optional(),
  allowedEnvVars: z.array(z.string()).optional(),
  ...base,
});

const hook = z.discriminatedUnion('type', [command, http], {
  error: (issue) => `hooks of type ${JSON.stringify((issue.input as { type?: unknown } | null)?.type ?? null)} are not supported: use "command" or "http"`,
});

const groups = z.array(z.strictObject({ matcher: z.string().max(1_000).optional(), hooks: z.array(hook) }));

type SerializedMessage = z.infer<typeof hook>;

/** Reads the `hooks` of a settings file, and says what is wrong with them. Pointers begin at `hooks`. */
export function readHooks(
  written: Readonly<Record<string, unknown>>,
  terms: HookTerms,
): { readonly hooks: readonly Hook[]; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const hooks: Hook[] = [];
  const note = (path: readonly PropertyKey[], text: string) =>
    faults.push({ pointer: `/${path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`, text });
  for (const [event, value] of Object.entries(written)) {
    if (!isHookEvent(event)) {
      note([event], `this server runs no hooks at this event; it does at ${HOOK_EVENTS.join(', ')}`);
      continue;
    }
    const parsed = groups.safeParse(value);
    for (const issue of parsed.error?.issues ?? []) note([event, ...issue.path], textOf(issue));
    for (const [index, group] of (parsed.data ?? []).entries()) {
      const matches = (terms.anyMatcher ? matcherOf : plainMatcherOf)(group.matcher);
      if (!matches)
        note([event, index, 'matcher'], terms.anyMatcher ? 'is not a valid regular expression' : 'may hold names, |, .*, ^ and $, and nothing else');
      for (const [at, each] of group.hooks.entries()) {
        const fault = faultIn(each, terms);
        if (fault) note([event, index, 'hooks', at, fault.member], fault.text);
        else hooks.push(define(each, { event, matcher: group.matcher ?? null, matches: matches ?? (() => false) }, terms));
      }
    }
  }
  if (terms.maxHooks !== null && hooks.length > terms.maxHooks)
    faults.push({ pointer: '', text: `there are ${hooks.length} hooks, and at most ${terms.maxHooks} are allowed` });
  return { hooks, faults };
}

/** Of a key that will not do, what is wrong with it. */
const textOf = (issue: z.core.$ZodIssue): string => (issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message);

const isHookEvent = (name: string): name is HookEvent => (HOOK_EVENTS as readonly string[]).includes(name);

function faultIn(written: SerializedMessage, terms: HookTerms): { readonly member: string; readonly text: string } | null {
  if (written.timeout !== undefined && written.timeout * 1000 > terms.maxTimeoutMs)
    return { member: 'timeout', text: `must be at most ${terms.maxTimeoutMs / 1000} seconds` };
  if (written.type === 'command') return terms.commands ? null : { member: 'type', text: 'commands are for the operator of the server; use "http"' };
  if (written.allowedEnvVars && terms.environment === null)
    return { member: 'allowedEnvVars', text: 'is for the operator of the server; write the header as it is' };
  const url = new URL(written.url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { member: 'url', text: 'must begin with https:// or http://' };
  if (url.username !== '' || url.password !== '') return { member: 'url', text: 'must not hold a user or password; send a header' };
  const text = terms.refuseUrl(url);
  return text === null ? null : { member: 'url', text };
}

function define(written: SerializedMessage, place: { event: HookEvent; matcher: string | null; matches: Matcher }, terms: HookTerms): Hook {
  const shared = { ...place, source: terms.source, timeoutMs: written.timeout === undefined ? terms.timeoutMs : Math.ceil(written.timeout * 1000) };
  if (written.type === 'command') return { ...shared, type: 'command', command: written.command };
  const headers = Object.entries(written.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    fill(value, written.allowedEnvVars ?? [], terms.environment),
  ]);
  return { ...shared, type: 'http', url: written.url, headers: Object.fromEntries(headers) };
}

/** `$NAME` and `${NAME}` of the variables that are allowed; any other becomes nothing, as the public reference has it. */
function fill(value: string, allowed: readonly string[], environment: HookTerms['environment']): string {
  if (environment === null) return value;
  const text = value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return allowed.includes(name) ? (environment[name] ?? '') : '';
  });
  return text.replace(/[^\t\x20-\x7e]/g, '');
}
