import { profileFor } from '../models/profiles.js';
import { modelOfAlias } from '../models/aliases.js';
import type { AttachmentMessage } from '../message/message.js';
import type { SessionState } from '../session/state.js';

/** Permission rules that the commands and skills called in the running turn have granted; they end with it. */
export function grantedByCommands(state: SessionState): readonly string[] {
  const rules = permissionsOfTurn(state).flatMap(({ allowedTools }) =>
    Array.isArray(allowedTools) ? allowedTools.filter((rule) => typeof rule === 'string') : [],
  );
  return [...new Set(rules)];
}

/**
 * The model that the session's next request goes to: the one that the last of those commands asked for, else the session's own. An alias stands for a model
 * of the provider that the aliases are of; sessions at another one keep theirs.
 */
export function modelInForce(state: SessionState): string {
  const own = state.settings.model;
  const asked = permissionsOfTurn(state).findLast(({ model }) => typeof model === 'string')?.['model'];
  if (typeof asked !== 'string') return own;
  const meant = modelOfAlias(asked);
  if (meant === null) return asked;
  return profileFor(own).provider === 'anthropic' ? meant : own;
}

function permissionsOfTurn({ turn, messages }: SessionState): readonly AttachmentMessage['attachment'][] {
  return (turn?.messages ?? []).flatMap((uuid) => {
    const message = messages.get(uuid)?.message;
    return message?.type === 'attachment' && message.attachment.type === 'command_permissions' ? [message.attachment] : [];
  });
}
