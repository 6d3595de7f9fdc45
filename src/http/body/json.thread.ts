import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type JsonLimits, parseJson } from './json-text.js';

export interface JsonCheckRequest {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly limits: JsonLimits;
  /** Absent: the body. */
  readonly subject?: string;
}

export type JsonCheckResult =
  | { readonly id: number; readonly bytes: Uint8Array; readonly sha256: string }
  | { readonly id: number; readonly problem: Pick<DomainError, 'code' | 'message' | 'faults' | 'details'> };

/** Program of the worker thread that checks large bodies; the bytes are transferred back with the result. */
parentPort?.on('message', ({ id, bytes, limits, subject }: JsonCheckRequest) => {
  try {
    parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), limits, subject);
    const result: JsonCheckResult = { id, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    parentPort?.postMessage(result, [bytes.buffer as ArrayBuffer]);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, faults, details } = error;
    const result: JsonCheckResult = { id, problem: { code, message, faults, details } };
    parentPort?.postMessage(result);
  }
});
