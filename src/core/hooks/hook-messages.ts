import type { Json } from '../message/content.js';
import type { Attachment } from '../message/attachment.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from './hook-run.js';

/** Context added by hooks for the model: one attachment per hook, with the hook event and the tool call it belongs to. */
export function contextAttachments(runs: readonly HookRun[]): readonly Attachment[] {
  return runs.flatMap((run) => {
    const { event, additionalContext } = run;
    if (additionalContext === undefined) return [];
    const subject = member(run, 'tool_name') ?? member(run, 'source');
    const toolUseId = member(run, 'tool_use_id');
    return [
      {
        type: 'hook_additional_context',
        hookName: subject === null ? event : `${event}:${subject}`,
        hookEvent: event,
        ...(toolUseId === null ? {} : { toolUseId }),
        content: [additionalContext],
      },
    ];
  });
}

/** A string member of the hook's input; null when it has none. */
function member({ input }: HookRun, name: string): string | null {
  const value = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as { readonly [key: string]: Json })[name] : null;
  return typeof value === 'string' ? value : null;
}

/** Messages of hooks (`systemMessage`) for readers only. */
export function readerNotices(runs: readonly HookRun[], place: { readonly at: string; readonly uuid: () => string }): readonly Draft[] {
  return runs.flatMap(({ event, systemMessage }) =>
    systemMessage === undefined
      ? []
      : [
          {
            type: 'system' as const,
            uuid: place.uuid(),
            timestamp: place.at,
            subtype: 'informational',
            level: 'info' as const,
            content: `${event} hook: ${systemMessage}`,
          },
        ],
  );
}
