import { userMessage } from '../message/factory.js';
import type { PermissionMode } from '../message/message.js';
import { STOPPED_BY_HOOK } from '../message/wire-texts.js';
import type { Draft } from '../session/commands.js';
import type { HookRun } from '../session/events.js';
import { promptMessage } from './construct.js';
import type { Submission } from './submission.js';

export interface Prepared {
  readonly messages: readonly Draft[];
  /** Whether the model is asked. */
  readonly query: boolean;
}

/** Puts a prompt, its attachments and what the hooks said into messages. `uuid` makes a fresh id at each call. */
export function preparePrompt(
  submission: Submission,
  hookRuns: readonly HookRun[],
  place: { readonly permissionMode: PermissionMode; readonly at: string; readonly uuid: () => string },
): Prepared {
  const { at: timestamp, uuid } = place;
  const blocked = hookRuns.find((run) => run.outcome === 'blocked');
  if (blocked) {
    const content = `A hook kept this prompt from being sent: ${blocked.reason ?? 'it gave no reason'}`;
    return { messages: [{ type: 'system', uuid: uuid(), timestamp, subtype: 'hook_blocked', level: 'warning', content }], query: false };
  }
  const prompt = promptMessage(submission, place.permissionMode, timestamp);
  if (hookRuns.some((run) => run.outcome === 'prevented')) {
    return { messages: [prompt, userMessage({ uuid: uuid(), timestamp, content: STOPPED_BY_HOOK })], query: false };
  }
  const brought: Draft[] = (submission.attachments ?? []).map((attachment) => ({ type: 'attachment', uuid: uuid(), timestamp, attachment }));
  const added: Draft[] = hookRuns.flatMap((run) =>
    run.additionalContext === undefined
      ? []
      : [
          {
            type: 'attachment' as const,
            uuid: uuid(),
            timestamp,
            attachment: { type: 'hook_additional_context', hookName: run.event, hookEvent: run.event, content: [run.additionalContext] },
          },
        ],
  );
  return { messages: [prompt, ...brought, ...added], query: true };
}
