import { DomainError } from '../../../packages/protocol/errors.js';
import type { ComputeResult, ComputeTask } from '../../ports/index.js';
import type { Frame } from './frame.js';

/** File descriptor of the channel between the two processes. */
export const CHANNEL = 3;

type WithBody = Extract<ComputeTask, { readonly body: Uint8Array }>;

const hasBody = (task: ComputeTask): task is WithBody => task.kind === 'normalize' || task.kind === 'repair';

export function taskFrame(task: ComputeTask): Frame {
  if (!hasBody(task)) return { head: task, body: new Uint8Array() };
  const { body, ...head } = task;
  return { head, body };
}

export function readTask({ head, body }: Frame): ComputeTask {
  const task = head as ComputeTask;
  return hasBody(task) ? { ...task, body } : task;
}

/** A session of which content was erased. */
export interface Forgotten {
  readonly tenantId: string;
  readonly sessionId: string;
}

export function forgetFrame(session: Forgotten): Frame {
  return { head: { kind: 'forget', session }, body: new Uint8Array() };
}

/** Null: the frame is a task. */
export function readForgotten({ head }: Frame): Forgotten | null {
  const { kind, session } = head as { readonly kind: string; readonly session?: Forgotten };
  return kind === 'forget' && session ? session : null;
}

type Head =
  | { readonly kind: 'answer'; readonly version: number | null }
  | ({ readonly kind: 'rejection' } & Pick<DomainError, 'code' | 'message' | 'faults' | 'details'>)
  | { readonly kind: 'bug'; readonly stack: string };

export function answerFrame({ json, version }: ComputeResult): Frame {
  const head: Head = { kind: 'answer', version };
  return { head, body: json };
}

export function errorFrame(error: unknown): Frame {
  return { head: headOf(error), body: new Uint8Array() };
}

function headOf(error: unknown): Head {
  if (!(error instanceof DomainError)) return { kind: 'bug', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  const { code, message, faults, details } = error;
  return { kind: 'rejection', code, message, faults, details };
}

/** Throws the error that the frame carries. */
export function readAnswer({ head: given, body }: Frame): ComputeResult {
  const head = given as Head;
  switch (head.kind) {
    case 'answer':
      return { json: body, version: head.version };
    case 'rejection':
      throw new DomainError(head.code, head.message, head.faults, head.details);
    case 'bug':
      throw new Error(`in a compute process: ${head.stack}`);
  }
}
