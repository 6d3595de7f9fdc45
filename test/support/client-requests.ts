import { createHash } from 'node:crypto';
import { ClaudeFile } from './claude-file.js';

type Members = Readonly<Record<string, unknown>>;

/** By its own few lines, so that the code under test is not compared with itself. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => name !== 'cache_control')
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .map(([name, member]) => [name, sorted(member)]),
        )
      : value;

const asBlocks = (content: unknown): unknown => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);

export const sha256 = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
export const messageHash = (message: Members): string => sha256({ ...message, content: asBlocks(message['content']) });
export const shapeHash = (shape: Members): string => sha256({ ...shape, system: asBlocks(shape['system']) });

export const SHAPE = {
  system: [{ type: 'text', text: 'You are a program.', cache_control: { type: 'ephemeral' } }],
  tools: [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }],
};

export const PARAMS = { model: 'claude-opus-4-5-20251101', betas: ['claude-code-20250219'], max_tokens: 128_000, thinking: { type: 'adaptive' } };

interface Request {
  readonly base?: string;
  readonly keep?: number;
  readonly tail: readonly string[];
  readonly members?: Members;
}

/** A session file with the program's own record of what it sent. */
export class RecordedFile extends ClaudeFile {
  shape(shape: Members = SHAPE, members: Members = {}): this {
    return this.state('api-request-shape', { shapeHash: shapeHash(shape), timestamp: '2026-01-01T00:00:00.000Z', version: 1, shape, ...members });
  }

  blob(message: Members, members: Members = {}): this {
    return this.state('api-request-blob', { hash: messageHash(message), message, ...members });
  }

  request(id: string, { base, keep, tail, members }: Request): this {
    const place = {
      base: base ?? null,
      keep: keep ?? 0,
      tail,
      shapeHash: shapeHash(SHAPE),
      params: PARAMS,
      cacheControl: [],
      requestDigest: sha256(id),
      querySource: 'sdk',
    };
    return this.state('api-request', { id, timestamp: '2026-01-01T00:00:30.000Z', version: 1, ...place, ...members });
  }
}
