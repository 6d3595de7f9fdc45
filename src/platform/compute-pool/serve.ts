import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { DomainError } from '../../../packages/protocol/errors.js';
import { viewText, type ViewWithPayload } from '../../../packages/normalizer/payload-text.js';
import type { ComputeResult, ComputeTask } from '../../ports/index.js';
import { answerFrame, CHANNEL, errorFrame, type Forgotten, readForgotten, readTask } from './ipc.js';
import { type Frame, FrameReader, writeFrame } from './frame.js';

/** Computes the answer to a task; it is sent as JSON. */
export type Worker = (task: ComputeTask) => Promise<object>;

/** The program side of a `PoolProcess`: reads the setup, then one task after the other, until the channel is closed. `forget`: drops what is kept of a session. */
export function serveComputeTasks(open: (setup: unknown) => Promise<Worker>, forget: (session: Forgotten) => void = () => undefined): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // the server takes precedence where there are few cores
  const channel = new Socket({ fd: CHANNEL });
  let worker: Promise<Worker> | null = null;
  const reader = new FrameReader((frame) => {
    if (!worker) {
      worker = open(frame.head);
      return;
    }
    const forgotten = readForgotten(frame);
    if (forgotten) forget(forgotten);
    else void answer(worker, frame).then((reply) => writeFrame(channel, reply));
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {}); // a terminal signals both processes; the parent decides
  const end = (): never => process.exit(0);
  channel
    .on('data', (chunk: Buffer) => reader.push(chunk))
    .on('error', end)
    .on('close', end);
}

async function answer(worker: Promise<Worker>, frame: Frame): Promise<Frame> {
  try {
    return answerFrame(serialize(await (await worker)(readTask(frame))));
  } catch (error) {
    return errorFrame(error);
  }
}

const isViewWithPayload = (answer: object): answer is ViewWithPayload => 'payload' in answer && 'body' in answer;

function serialize(answer: object): ComputeResult {
  const version = 'version' in answer && typeof answer.version === 'number' ? answer.version : null;
  try {
    return { json: Buffer.from(isViewWithPayload(answer) ? viewText(answer) : JSON.stringify(answer)), version };
  } catch (error) {
    if (error instanceof RangeError) throw new DomainError('payload_too_large', 'The answer exceeds the maximum length of a string; request less at once.');
    throw error;
  }
}
