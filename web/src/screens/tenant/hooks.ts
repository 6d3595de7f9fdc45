import type { AnswerOf } from '@verbatim/client';
import { HOOK_EVENTS, type HookEvent } from '../../../../packages/protocol/hooks/hook-events.ts';
import type { Faults } from './faults.tsx';
import { type Header, headerFields, headerValues, repeatedHeaders, savedHeaders, storedHeaders } from './headers.ts';

export type StoredHooks = AnswerOf<'getSettings'>['hooks'];

/** One hook. On the server hooks stand in groups of one event and matcher; here each is a group of its own, which means the same. */
export interface Hook {
  readonly id: string;
  readonly event: HookEvent;
  /** Empty: every call. */
  readonly matcher: string;
  readonly url: string;
  /** Seconds, as written; empty: the limit of the server. */
  readonly timeout: string;
  readonly headers: readonly Header[];
  /** Members without a field, as they are stored. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** What a matcher is compared with, by event; absent: nothing. */
export const MATCHED: Readonly<Partial<Record<HookEvent, string>>> = {
  PreToolUse: 'Tools',
  PostToolUse: 'Tools',
  SessionStart: 'Sources',
  PreCompact: 'Triggers',
};

let made = 0;
export const freshHook = (): Hook => ({ id: `hook-${(made += 1)}`, event: 'PreToolUse', matcher: '', url: '', timeout: '', headers: [], others: {} });

export const field = ({ id }: Hook, name: 'event' | 'matcher' | 'url' | 'timeout'): string => `${id}-${name}`;

interface Group {
  readonly matcher?: string;
  readonly hooks?: readonly Readonly<Record<string, unknown>>[];
}

export const hooksOf = (stored: StoredHooks): readonly Hook[] =>
  HOOK_EVENTS.flatMap((event) =>
    ((stored[event] ?? []) as readonly Group[]).flatMap(({ matcher = '', hooks = [] }) =>
      hooks.map(({ url, timeout, headers, ...others }) => ({
        ...freshHook(),
        event,
        matcher,
        url: String(url ?? ''),
        timeout: timeout === undefined ? '' : String(timeout),
        headers: storedHeaders(headers as Readonly<Record<string, unknown>> | undefined),
        others,
      })),
    ),
  );

/** The same hooks after they were saved: no value of a header stays in the page. */
export const asStored = (hooks: readonly Hook[]): readonly Hook[] => hooks.map((hook) => ({ ...hook, headers: savedHeaders(hook.headers) }));

/** What the form sends, and the field of each JSON pointer that the server may name. `isShown`: to be shown, without any value of a header. */
export function bodyOf(hooks: readonly Hook[], isShown = false): { readonly body: StoredHooks; readonly fields: ReadonlyMap<string, string> } {
  const body: Record<string, Group[]> = {};
  const fields = new Map<string, string>();
  for (const hook of hooks) {
    const { event, matcher, url, timeout, headers, others } = hook;
    const groups = (body[event] ??= []);
    const group = `/hooks/${event}/${groups.length}`;
    const at = `${group}/hooks/0`;
    const pointers = [
      [`/hooks/${event}`, field(hook, 'event')],
      [`${group}/matcher`, field(hook, 'matcher')],
      [`${at}/url`, field(hook, 'url')],
      [`${at}/timeout`, field(hook, 'timeout')],
      ...headerFields(headers, at),
    ] as const;
    for (const [pointer, id] of pointers) fields.set(pointer, id);
    const isMatched = MATCHED[event] !== undefined && matcher.trim() !== '';
    groups.push({
      ...(isMatched ? { matcher: matcher.trim() } : {}),
      hooks: [{ type: 'http', ...others, url: url.trim(), ...(timeout.trim() === '' ? {} : { timeout: Number(timeout) }), ...headerValues(headers, isShown) }],
    });
  }
  return { body: body as StoredHooks, fields };
}

/** Names of headers that stand twice at a hook. */
export const repeatsIn = (hooks: readonly Hook[]): Faults => ({
  at: new Map(hooks.flatMap(({ headers }) => repeatedHeaders(headers)).map((id) => [id, 'is a name that stands here before'])),
  hasOthers: false,
});
