import type { Json } from '../message/content.js';
import type { Attachment } from '../message/attachment.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from './hook-run.js';

/** What hooks want the model to know: an attachment for each text, which says of which event, and of which tool call. */
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

/** A text of what the hook read. */
function member({ input }: HookRun, name: string): string | null {
  const value = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as { readonly [key: string]: Json })[name] : null;
  return typeof value === 'string' ? value : null;
}

/** What hooks want the reader to know: a message for each. The model is told nothing of it. */
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
