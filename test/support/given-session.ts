/** Drives a session by commands, as the executor does, for specs of what is decided. */
import { expect } from '@jest/globals';
import { DomainError } from '../../packages/protocol/errors.js';
import type { ModelMessage } from '../../packages/protocol/message/message.js';
import type { Command } from '../../src/session/state/commands.js';
import { decide } from '../../src/session/decide/decide.js';
import type { Actor, NewEvent, RecordedSentRequest, SessionEvent, SessionSettings } from '../../packages/protocol/events/events.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { path } from '../../src/session/state/tree.js';
import type { Submission } from '../../packages/protocol/message/submission.js';

export const SETTINGS: SessionSettings = {
  title: null,
  model: 'claude-test',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: { allow: [], deny: [], ask: [] },
  tools: [{ name: 'lookup', input_schema: { type: 'object' } }],
  metadata: {},
};
export const AT = '2030-01-01T00:00:00.000Z';
/** A fresh uuid for a command, by number. */
export const seed = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
export const USER: Actor = { kind: 'user', id: 'u1' };

/** A session driven by commands, as the executor does it. */
export class Scene {
  readonly state: SessionState = emptyState();
  readonly log: SessionEvent[] = [];
  /** Version after each append: a log never ends in between. */
  readonly appends: number[] = [];

  when(command: Command): readonly NewEvent[] {
    const events = decide(command, this.state);
    for (const event of events) this.append(event);
    this.appends.push(this.state.version);
    return events;
  }

  /** As if something had been decided. */
  append(event: NewEvent): void {
    const recorded: SessionEvent = { ...event, id: `e${this.state.version + 1}`, seq: this.state.version + 1, time: AT, sessionId: 's', actor: USER };
    this.log.push(recorded);
    evolve(this.state, recorded);
  }

  types(command: Command): readonly string[] {
    return this.when(command).map((event) => event.type);
  }

  rejects(command: Command, code: string): void {
    const before = this.state.version;
    let rejection: unknown;
    try {
      this.when(command);
    } catch (error) {
      rejection = error;
    }
    expect(rejection).toBeInstanceOf(DomainError);
    expect((rejection as DomainError).code).toBe(code);
    expect(this.state.version).toBe(before);
  }
}

export const submission = (n: number, value = `prompt ${n}`): Submission => ({
  promptId: `p${n}`,
  turnId: `t${n}`,
  uuid: `m${n}`,
  mode: 'prompt',
  original: ` ${value}`,
  value,
});
export const submit = (n: number, value?: string, whenBusy: 'enqueue' | 'reject' | 'interrupt' = 'enqueue'): Command => ({
  type: 'SubmitPrompt',
  submission: submission(n, value),
  whenBusy,
  maxQueued: 3,
});
export const prepare = (n: number, query = true): Command => ({
  type: 'PrepareTurn',
  turnId: `t${n}`,
  messages: [{ type: 'user', uuid: `m${n}`, timestamp: AT, content: `prompt ${n}`, permissionMode: 'default' }],
  hookRuns: [],
  callsModel: query,
  checkpoints: [],
});
export const send = (scene: Scene, n: number, requestId = `r${n}`): Command => ({
  type: 'SendRequest',
  turnId: `t${n}`,
  request: {
    requestId,
    turnId: `t${n}`,
    ordinal: 1,
    at: scene.state.version,
    prefix: { shared: 0, system: '', tools: '', messages: [], tail: [] },
  } as unknown as RecordedSentRequest,
});
export const message = (content: ModelMessage['content'], stop_reason: string | null = 'end_turn'): ModelMessage => ({
  id: 'msg_1',
  role: 'assistant',
  model: 'claude-test',
  content,
  stop_reason,
  usage: { input_tokens: 10, output_tokens: 5 },
});
export const answer = (n: number, content: ModelMessage['content'] = [{ type: 'text', text: 'yes' }], stop?: string, requestId = `r${n}`): Command => ({
  type: 'RecordAnswer',
  turnId: `t${n}`,
  requestId,
  uuid: `a-${requestId}`,
  at: AT,
  message: message(content, stop),
  providerRequestId: 'req_1',
  durationMs: 1,
  maxToolCalls: 8,
  keepsRefusedPrompt: false,
  hasStopHooks: false,
});

export function session(): Scene {
  const scene = new Scene();
  scene.when({ type: 'CreateSession', settings: SETTINGS });
  return scene;
}

export function turn(scene: Scene, n: number): void {
  scene.when(submit(n));
  scene.when(prepare(n));
  scene.when(send(scene, n));
  scene.when(answer(n));
}

export const uuidsOnPath = (scene: Scene): readonly string[] => path(scene.state).map((record) => record.message.uuid);
