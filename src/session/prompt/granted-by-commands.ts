import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { modelOfAlias } from '../../../packages/normalizer/models/aliases.js';
import type { AttachmentMessage } from '../../../packages/protocol/message/message.js';
import type { SessionState } from '../state/state.js';

/** Permission rules granted by commands and skills in the current turn; they end with it. */
export function grantedByCommands(state: SessionState): readonly string[] {
  const rules = permissionsOfTurn(state).flatMap(({ allowedTools }) =>
    Array.isArray(allowedTools) ? allowedTools.filter((rule) => typeof rule === 'string') : [],
  );
  return [...new Set(rules)];
}

/**
 * The model of the session's next request: the one requested by the last command of the turn, otherwise the session's. An alias names a model of Anthropic's API;
 * sessions with another provider ignore it.
 */
export function modelInForce(state: SessionState): string {
  const own = state.settings.model;
  const requested = permissionsOfTurn(state).findLast(({ model }) => typeof model === 'string')?.['model'];
  if (typeof requested !== 'string') return own;
  const resolved = modelOfAlias(requested);
  if (resolved === null) return requested;
  return profileFor(own).provider === 'anthropic' ? resolved : own;
}

function permissionsOfTurn({ turn, messages }: SessionState): readonly AttachmentMessage['attachment'][] {
  return (turn?.messages ?? []).flatMap((uuid) => {
    const message = messages.get(uuid)?.message;
    return message?.type === 'attachment' && message.attachment.type === 'command_permissions' ? [message.attachment] : [];
  });
}
