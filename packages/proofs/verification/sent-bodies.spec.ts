import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../../test/support/normalize/build.js';
import { fromHex } from '../hex.js';
import { BadLine } from './log-lines.js';
import { SentBodies } from './sent-bodies.js';

const hash = (bytes: Uint8Array): Uint8Array => fromHex(sha256(new TextDecoder().decode(bytes)));

const MESSAGE = { message: { type: 'user', uuid: 'u', parentUuid: null, timestamp: 't', content: [{ type: 'text', text: 'hello' }] } };
const BODY = {
  ...{ base: null, conversation: { keep: 0, added: ['u'] }, messages: { keep: 0, added: [{ role: 'user', content: [{ of: [0, 0] }] }] } },
  ...{ options: '{"model":"m","stream":true', system: '', tools: '[]', markers: null, trace: { from: 0, notes: [] } },
};
const SENT = '{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}';

/** The counts of a log with one message and one request. */
function verified(body: unknown, digest = sha256(SENT), isWhole = true) {
  const bodies = new SentBodies(hash);
  bodies.event(1, 'message.appended', MESSAGE, true);
  bodies.event(2, 'request.sent', { requestId: 'r', digest, body }, true);
  for (const _ of bodies.verified(isWhole));
  return bodies.counts;
}

describe('the requests of an exported log', () => {
  it('are rebuilt from its events', () => {
    expect(verified(BODY)).toEqual({ proven: 1, erased: 0, incomplete: 0 });
    expect(verified(null, '')).toEqual({ proven: 0, erased: 1, incomplete: 0 });
  });

  it('are named by their event when they are not what was sent, or when something is missing', () => {
    expect(() => verified(BODY, sha256('another'))).toThrow(/event 2: the request r that it describes is not the one that was sent/);
    expect(() => verified({ ...BODY, options: '{"model":"n","stream":true' })).toThrow(/event 2: .* not the one that was sent/);
    expect(() => verified(null)).toThrow(/event 2 has no body/);
    expect(() => verified({ ...BODY, conversation: { keep: 0, added: ['lost'] } })).toThrow(
      /event 2: The request r cannot be rebuilt: the message lost is missing/,
    );
    expect(verified({ ...BODY, conversation: { keep: 0, added: ['of a parent'] } }, undefined, false)).toEqual({ proven: 0, erased: 0, incomplete: 1 });
    const file = { text: ['{"data":"', { file: 'f' }, '"}'] };
    expect(verified({ ...BODY, messages: { keep: 0, added: [{ role: 'user', content: [file] }] } })).toEqual({ proven: 0, erased: 0, incomplete: 1 });
  });

  it('have a record of any form', () => {
    const members = Object.keys(BODY);
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.jsonValue(), (member, value) => {
        try {
          verified({ ...BODY, [member]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(BadLine);
        }
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(() => verified(body)).toThrow(BadLine);
      }),
    );
  });
});
