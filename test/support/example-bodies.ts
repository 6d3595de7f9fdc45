/** The query without which a route rejects a request. */
export const REQUIRED_QUERIES: Readonly<Record<string, string>> = { '/v1/search': '?q=word', '/v1/log/consistency': '?from=1' };

/** A valid body of each kind that a session's routes take. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  SessionSettings: { title: 'mine' },
  Reason: {},
  Nothing: {},
  Prompt: { input: 'x' },
  ToolResults: { results: [{ toolUseId: 'a', content: 'b' }] },
  Fork: {},
  Compaction: {},
  ToolDecision: { toolUseId: 'a', decision: 'allow' },
  Rewind: { before: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e' },
  HookRun: { event: 'Stop' },
  NewSignIn: { code: 'x' },
  UiChat: { id: 'chat', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
  UserChange: { disabled: false },
  Presence: { state: 'typing' },
  NewToken: { name: 'laptop' },
  NewLink: { expiresAt: '2999-01-01T00:00:00Z' },
  NewGrant: { role: 'viewer' },
  BreakGlass: { reason: 'x' },
  NewStreamTicket: { sessionId: '00000000-0000-0000-0000-000000000000' },
  Normalize: { messages: [{ role: 'user', content: 'x' }] },
  NewFeedback: { requestId: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', rating: 1 },
};
