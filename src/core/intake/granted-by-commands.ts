import type { SessionState } from '../session/state.js';

/** Permission rules that the commands and skills called in the running turn have granted; they end with it. */
export function grantedByCommands(state: SessionState): readonly string[] {
  return (state.turn?.messages ?? []).flatMap((uuid) => {
    const message = state.messages.get(uuid)?.message;
    if (message?.type !== 'attachment' || message.attachment.type !== 'command_permissions') return [];
    const { allowedTools } = message.attachment;
    return Array.isArray(allowedTools) ? allowedTools.filter((rule): rule is string => typeof rule === 'string') : [];
  });
}
