import type { Attachment } from '../ports.js';
import type { Draft } from '../session/commands.js';
import type { HookRun } from '../session/events.js';

/** What hooks want the model to know: an attachment for each text. `call`: the tool call they ran for, if any. */
export function contextAttachments(runs: readonly HookRun[], call?: { readonly toolUseId: string; readonly name: string }): readonly Attachment[] {
  return runs.flatMap(({ event, additionalContext }) =>
    additionalContext === undefined
      ? []
      : [
          {
            type: 'hook_additional_context',
            hookName: call ? `${event}:${call.name}` : event,
            hookEvent: event,
            ...(call ? { toolUseId: call.toolUseId } : {}),
            content: [additionalContext],
          },
        ],
  );
}

/** What hooks want the reader to know: a message for each. The model is told nothing of it. */
export function readerNotices(runs: readonly HookRun[], place: { readonly at: string; readonly uuid: () => string }): readonly Draft[] {
  return runs.flatMap(({ event, systemMessage }) =>
    systemMessage === undefined
      ? []
      : [{ type: 'system' as const, uuid: place.uuid(), timestamp: place.at, subtype: 'informational', level: 'info' as const, content: `${event} hook: ${systemMessage}` }],
  );
}
