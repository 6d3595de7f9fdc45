import { modelInForce } from '../../session/prompt/granted-by-commands.js';
import type { ClientCommand } from './slash-command.js';

export const status: ClientCommand = {
  kind: 'client',
  name: 'status',
  description: 'Show the session: model, permission mode, turn, queue, usage',
  bridgeSafe: true,
  answer: async ({ session, sessionId }) => {
    const state = await session();
    const { settings, turn, queue, usage, version } = state;
    const summary = {
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
      `Session: ${sessionId}${summary.title === null ? '' : ` (${summary.title})`}, ${summary.status}, version ${version}`,
      `Model: ${summary.model}`,
      `Permission mode: ${summary.permissionMode}`,
      turn ? `Turn: ${turn.turnId}, ${turn.status} since ${turn.startedAt}, ${summary.turn?.requests} requests` : 'Turn: none',
      `Queue: ${queue.length} waiting`,
      `Usage: ${usage.requests} requests, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`,
    ].join('\n');
    return { display: { type: 'status', text, ...summary } };
  },
};
