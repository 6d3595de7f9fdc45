import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { resolvedParts } from '../../../packages/protocol/request/exact-body.js';
import { RecordedRequest } from '../../../packages/protocol/request/recorded-request.js';
import type { SentBody } from '../../../packages/protocol/request/sent-body.js';
import { runs } from '../../../test/support/property-runs.js';
import type { Found } from './find-session.js';
import { RecordedBodies } from './recorded-bodies.js';
import { readConversation } from './sent-conversation.js';
import { continuedText } from './thread-texts.js';

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const user = (...content: readonly unknown[]) => ({ role: 'user', content });
const bodyOf = (...messages: readonly unknown[]): string => JSON.stringify({ model: 'm', messages });
const base64 = (bytes: number, fill: number): string => Buffer.alloc(bytes, fill).toString('base64');

const found = (lastRequest: string | null): Found => ({
  ...{ sessionId: 's', version: 1, match: { after: null, messages: 0, hasAnswer: false } },
  ...{ conversation: [], seqs: [], erasures: 0, repaired: [], lastRequest, group: null },
});

async function recorded(bodies: RecordedBodies, text: string, requestId = 'one', lastRequest: string | null = null): Promise<SentBody> {
  const { body, keep } = await bodies.record(requestId, found(lastRequest), (await readConversation(Buffer.from(text)))!, []);
  keep();
  return body;
}

/** The text that the records of a chain stand for, with these files. */
function rebuilt(chain: readonly SentBody[], files: readonly string[]): string | undefined {
  const byHash = new Map(files.map((file) => [createHash('sha256').update(Buffer.from(file, 'base64')).digest('hex'), file]));
  const parts = resolvedParts(chain.map(({ exact }) => exact!));
  const pieces = parts?.flatMap((part) => (typeof part === 'string' ? [part] : part.text));
  return pieces?.map((piece) => (typeof piece === 'string' ? piece : byHash.get(piece.file))).join('');
}

const references = ({ exact }: SentBody): number =>
  exact!.flatMap((part) => (typeof part !== 'string' && 'text' in part ? part.text : [])).filter((piece) => typeof piece !== 'string').length;

/** Characters that searches in texts look at while something runs. */
async function searched(run: () => Promise<unknown>): Promise<number> {
  let characters = 0;
  const { includes, split, indexOf } = String.prototype;
  jest.spyOn(String.prototype, 'includes').mockImplementation(function (this: string, ...given) {
    characters += this.length;
    return includes.apply(this, given);
  });
  jest.spyOn(String.prototype, 'split').mockImplementation(function (this: string, ...given: readonly unknown[]) {
    characters += this.length;
    return Reflect.apply(split, this, given) as string[];
  });
  jest.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, sought, from = 0) {
    const index = indexOf.call(this, sought, from);
    characters += (index === -1 ? this.length : index) - from;
    return index;
  });
  await run();
  jest.restoreAllMocks();
  return characters;
}

describe('the record of a body that a client sent', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('stands for its bytes, with files of all sizes and however their base64 is written', async () => {
    const file = fc
      .tuple(fc.constantFrom(0, 1, 3, 765, 766, 767, 768, 769, 3_000), fc.constantFrom(0, 65, 251, 255))
      .map(([bytes, fill]) => base64(bytes, fill));
    const block = fc.oneof(
      file.map(image),
      file.map((data) => image(`${data}\n`)),
      file.map((data) => image(data.replaceAll('+', '-').replaceAll('/', '_'))),
      file.map((text) => ({ type: 'text', text })),
      fc.tuple(file, fc.string({ unit: 'grapheme' })).map(([data, text]) => ({ type: 'text', [text]: `"${data}${text}` })),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const message = fc.oneof(fc.array(block, { maxLength: 4 }), fc.string()).map((content) => ({ role: 'user', content }));
    const text = fc
      .tuple(fc.array(message, { minLength: 1, maxLength: 4 }), file, fc.constantFrom(undefined, 1), fc.constantFrom('/', '\\/', '\\u002f'), fc.boolean())
      .map(([messages, system, space, slash, isEscaped]) => {
        const plain = JSON.stringify({ model: 'm', messages, system }, null, space).replaceAll('/', slash);
        return isEscaped ? plain.replaceAll('A', '\\u0041') : plain;
      });
    const files = [0, 1, 3, 765, 766, 767, 768, 769, 3_000].flatMap((bytes) => [0, 65, 251, 255].map((fill) => base64(bytes, fill)));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async (texts) => {
        const bodies = new RecordedBodies();
        const chain: SentBody[] = [];
        for (const [index, sent] of texts.entries()) {
          chain.push(await recorded(bodies, sent, String(index), index === 0 ? null : String(index - 1)));
          expect(rebuilt(chain, files)).toBe(sent);
        }
      }),
      runs(300),
    );
  });

  it('has what a client of a message thread sent, byte for byte and once', async () => {
    const content = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(768, 3_000).map((bytes) => [image(base64(bytes, 65))]),
    );
    const messages = fc.array(
      content.map((one) => ({ role: 'user', content: one })),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(messages, messages, fc.nat(3), fc.constantFrom(undefined, 1), fc.boolean(), async (before, added, at, space, isNew) => {
        const members = { model: 'm', system: 's', messages: isNew ? [...before, ...added] : added };
        const thread = isNew ? { type: 'create' } : { type: 'continue', previous_message_id: 'a' };
        const received = JSON.stringify(Object.fromEntries(Object.entries(members).toSpliced(at, 0, ['thread', thread as never])), null, space);
        const sent = (await readConversation(Buffer.from(received)))!;
        const earlier = JSON.stringify({ ...members, messages: before }, null, space);
        const text = isNew ? sent.text : continuedText({ earlier, answer: '{"role":"assistant","content":"b"}', next: received });
        const whole = (await readConversation(Buffer.from(text)))!;
        const { body } = await new RecordedBodies().record('one', found(null), { ...whole, thread: sent.thread }, []);
        const bytesOf = new Map(
          [768, 3_000].map((bytes) => base64(bytes, 65)).map((file) => [createHash('sha256').update(Buffer.from(file, 'base64')).digest('hex'), file]),
        );
        const request = new RecordedRequest('one', { body: () => body, message: () => undefined });
        expect(request.thread((sha256) => bytesOf.get(sha256))).toEqual({ type: thread.type, previous: isNew ? null : 'a', of: null, received });
        expect(request.body((sha256) => bytesOf.get(sha256))).toBe(text);
        if (space === undefined) expect(JSON.stringify(body.thread!.received).length).toBeLessThan(400);
      }),
      runs(200),
    );
  });

  it('refers to a file that is a whole string and has a size worth a reference, wherever it stands', async () => {
    const [large, small] = [base64(768, 1), base64(765, 2)];
    const text = bodyOf(user(image(large), image(small)), user({ type: 'text', text: large }), user({ type: 'text', text: `${large} ` }));
    const body = await recorded(new RecordedBodies(), text);
    expect(references(body)).toBe(2);
    expect(rebuilt([body], [large])).toBe(text);
  });

  it('has base64 as text that no message has as a file, and base64 that is written with escapes', async () => {
    const data = base64(3_000, 255);
    const body = await recorded(new RecordedBodies(), bodyOf(user({ type: 'text', text: base64(3_000, 1) }), user(image(data))).replaceAll('/', '\\/'));
    expect(references(body)).toBe(0);
  });

  it.each([
    [
      'a small file in each message',
      (many: number) => Array.from({ length: many }, (_, index) => user(image(Buffer.from(String(10_000 + index)).toString('base64')))),
    ],
    [
      'a file in each message',
      (many: number) => Array.from({ length: many }, (_, index) => user(image(Buffer.from(String(10_000 + index).repeat(200)).toString('base64')))),
    ],
    ['a text that is the file many times', (many: number) => [user(image('AAAA'), { type: 'text', text: 'AAAA'.repeat(many * 25) })]],
    ['a text that is a larger file many times', (many: number) => [user(image('A'.repeat(1_024)), { type: 'text', text: 'A'.repeat(1_024 * many) })]],
  ])('takes one look at each character, and is no larger than the body: %s', async (_, messages) => {
    const text = bodyOf(...messages(400));
    const conversation = (await readConversation(Buffer.from(text)))!;
    let body: SentBody | undefined;
    const characters = await searched(async () => void ({ body } = await new RecordedBodies().record('one', found(null), conversation, [])));
    expect(characters).toBeLessThan(4 * text.length);
    expect(JSON.stringify(body!.exact).length).toBeLessThan(1.3 * text.length);
  });

  it('lets others run while it is made of a large body', async () => {
    const conversation = (await readConversation(Buffer.from(bodyOf(...Array.from({ length: 20 }, () => user({ type: 'text', text: 'x'.repeat(500_000) }))))))!;
    let turns = 0;
    const count = (): void => void ((turns += 1), (next = setImmediate(count)));
    let next = setImmediate(count);
    await new RecordedBodies().record('one', found(null), conversation, []);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(3);
  });

  it('continues the last record of its session, and stands for itself where another process made that one', async () => {
    const [here, there] = [new RecordedBodies(), new RecordedBodies()];
    const texts = [1, 2, 3].map((many) => bodyOf(...Array.from({ length: many }, (_, index) => user({ type: 'text', text: `message ${index}` }))));
    const first = await recorded(here, texts[0]!, 'one');
    const continued = await recorded(here, texts[1]!, 'two', 'one');
    expect(continued.base).toBe('one');
    expect(rebuilt([first, continued], [])).toBe(texts[1]);
    expect((await recorded(there, texts[2]!, 'three', 'two')).base).toBe(null);
    const after = await recorded(here, texts[2]!, 'four', 'three');
    expect(after.base).toBe(null);
    expect(rebuilt([after], [])).toBe(texts[2]);
  });
});
