import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../../packages/protocol/errors.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Characters of a name of a client that are kept. */
const KEPT = 200;

/** The session that the client names; null: none. */
export function namedSession(headers: IncomingHttpHeaders): string | null {
  const named = textOf(headers['x-verbatim-session']);
  if (named === null) return null;
  if (!UUID.test(named)) throw new DomainError('invalid_input', 'The header x-verbatim-session must be the id of a session.');
  return named;
}

/** What a client calls its conversation; a subagent has one of its own. Null: the client names none. */
export function clientGroup(headers: IncomingHttpHeaders, userId: string | null): string | null {
  const session = textOf(headers['x-claude-code-session-id']) ?? sessionIn(userId);
  if (session === null) return null;
  const agent = textOf(headers['x-claude-code-agent-id']);
  return agent === null ? session : `${session}/${agent}`;
}

/** What the client calls the conversation that a subagent works for: that of the agent which it names, or the main one. Null: it is no subagent. */
export function parentGroup(headers: IncomingHttpHeaders, group: string | null): string | null {
  const agent = textOf(headers['x-claude-code-agent-id']);
  if (group === null || agent === null || !group.endsWith(`/${agent}`)) return null;
  const session = group.slice(0, -agent.length - 1);
  const parent = textOf(headers['x-claude-code-parent-agent-id']);
  return parent === null ? session : `${session}/${parent}`;
}

/** The session of a conversation that a client names: the same in every process. `root`: the key of its first message, since one name may have several histories. */
export function sessionOfGroup(tenantId: string, userId: string, group: string, root: string): string {
  const named = JSON.stringify(['anthropic door', tenantId, userId, group, root]);
  return uuidFromSha256(hash('sha256', named));
}

export const clientOf = (headers: IncomingHttpHeaders): string | null => textOf(headers['user-agent']);

/** `metadata.user_id` is text of any kind; that of Claude Code is JSON with the session in it. */
function sessionIn(userId: string | null): string | null {
  if (userId === null || !userId.startsWith('{')) return null;
  try {
    return textOf(loose(JSON.parse(userId))['session_id']);
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? value.slice(0, KEPT).trim() : '';
  return text === '' ? null : text;
}
