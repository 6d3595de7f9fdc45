import type { Json } from '../message/content.js';
import type { Attachment } from '../message/attachment.js';
import { type Draft, userMessage } from '../message/draft.js';
import { STOPPED_BY_HOOK } from '../message/wire-texts.js';
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

interface Place {
  readonly at: string;
  readonly uuid: () => string;
}

/** The end of a turn that a hook stopped (`continue: false`): the reason for readers only, then the note that readers and the model see. */
export function stopMessages(reason: string, { at: timestamp, uuid }: Place): readonly Draft[] {
  const content = `A hook stopped the turn: ${reason}`;
  return [
    { type: 'system', uuid: uuid(), timestamp, subtype: 'hook_stopped', level: 'warning', content },
    userMessage({ uuid: uuid(), timestamp, content: STOPPED_BY_HOOK }),
  ];
}

/** Messages of hooks (`systemMessage`) for readers only. */
export function readerNotices(runs: readonly HookRun[], place: Place): readonly Draft[] {
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
