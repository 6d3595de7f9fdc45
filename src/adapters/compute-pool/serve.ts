import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { DomainError } from '../../core/errors.js';
import type { ComputeResult, ComputeTask } from '../../core/ports.js';
import { answerFrame, errorFrame, readTask } from './ipc.js';
import { type Frame, FrameReader, writeFrame } from './frame.js';
import { LINE } from './ipc-descriptor.js';

/** What gives the answer to a task, as the object that goes out as JSON. */
export type Worker = (task: ComputeTask) => Promise<object>;

/** The other end of a `PoolProcess`: takes the set-up, then one task after the other, until the line is closed. */
export function serveComputeTasks(open: (setup: unknown) => Promise<Worker>): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // where there are few cores, everybody else comes first
  const line = new Socket({ fd: LINE });
  let worker: Promise<Worker> | null = null;
  const reader = new FrameReader((frame) => {
    if (worker) void answer(worker, frame).then((reply) => writeFrame(line, reply));
    else worker = open(frame.head);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {}); // a terminal's go to both of us; the other one decides
  const end = (): never => process.exit(0);
  line
    .on('data', (chunk: Buffer) => reader.push(chunk))
    .on('error', end)
    .on('close', end);
}

async function answer(worker: Promise<Worker>, frame: Frame): Promise<Frame> {
  try {
    return answerFrame(written(await (await worker)(readTask(frame))));
  } catch (error) {
    return errorFrame(error);
  }
}

function written(answer: object): ComputeResult {
  const version = 'version' in answer && typeof answer.version === 'number' ? answer.version : null;
  try {
    return { json: Buffer.from(JSON.stringify(answer)), version };
  } catch (error) {
    if (error instanceof RangeError) throw new DomainError('payload_too_large', 'The answer would be longer than a text can be; ask for less at once.');
    throw error;
  }
}
