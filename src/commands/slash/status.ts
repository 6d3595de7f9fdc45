import { modelInForce } from '../../core/prompt/granted-by-commands.js';
import type { ClientCommand } from './slash-command.js';

export const status: ClientCommand = {
  kind: 'client',
  name: 'status',
  description: 'Show the session: model, permission mode, turn, queue, usage',
  bridgeSafe: true,
  answer: async ({ session, sessionId }) => {
    const state = await session();
    const { settings, turn, queue, usage, version } = state;
    const told = {
      sessionId,
      version,
      title: settings.title,
      status: state.status,
      model: modelInForce(state),
      permissionMode: settings.permissionMode,
      turn: turn ? { turnId: turn.turnId, status: turn.status, startedAt: turn.startedAt, requests: turn.requestIds.length } : null,
      queueLength: queue.length,
      usage: { ...usage },
    };
    const text = [
      `Session: ${sessionId}${told.title === null ? '' : ` (${told.title})`}, ${told.status}, version ${version}`,
      `Model: ${told.model}`,
      `Permission mode: ${told.permissionMode}`,
      turn ? `Turn: ${turn.turnId}, ${turn.status} since ${turn.startedAt}, ${told.turn?.requests} requests` : 'Turn: none',
      `Queue: ${queue.length} waiting`,
      `Usage: ${usage.requests} requests, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`,
    ].join('\n');
    return { display: { type: 'status', text, ...told } };
  },
};
