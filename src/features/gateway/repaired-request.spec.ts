import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { blocksIn, damaged } from '../../../test/support/damaged-conversations.js';
import { runs } from '../../../test/support/property-runs.js';
import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { splitBody } from './message-texts.js';
import { plain, repairAnswer, type RefusedText, type RepairedRequest } from './repaired-request.js';

const refused = (messages: string, message: string): RefusedText => ({
  requestId: 'r',
  text: `{"model":"claude-sonnet-5-5","max_tokens":100,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":${messages}}`,
  uuids: ['a', 'b', 'c', 'd'].slice(0, (JSON.parse(messages) as readonly unknown[]).length),
  sent: null,
  error: { status: 400, message },
  betas: [],
});
const repaired = (of: RefusedText) => repairAnswer(Buffer.from(JSON.stringify(of))).repaired;

const INPUT = '{"id":9007199254740993,"f":1.0,"2":1,"1":-0}';

describe('a message that is written again', () => {
  it('has the inputs of its calls as the client wrote them', () => {
    const call = `{"type":"tool_use","id":"t1","name":"f","input":${INPUT}}`;
    const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}';
    const messages = `[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":""},${call}]},${result}]`;
    const found = repaired(refused(messages, 'messages: text content blocks must be non-empty'));
    expect(found?.edits).toHaveLength(1);
    expect(found?.text).toContain(`[${call}]`);
  });

  it('has them when a cache marker is taken away', () => {
    const marked = (id: string): string => `{"type":"tool_use","id":"${id}","name":"f","input":${INPUT},"cache_control":{"type":"ephemeral"}}`;
    const ids = ['t1', 't2', 't3', 't4', 't5'];
    const results = ids.map((id) => `{"type":"tool_result","tool_use_id":"${id}","content":"ok"}`).join(',');
    const messages = `[{"role":"user","content":"q"},{"role":"assistant","content":[${ids.map(marked).join(',')}]},{"role":"user","content":[${results}]}]`;
    const found = repaired(refused(messages, 'A maximum of 4 blocks with cache_control may be provided. Found 5.'));
    expect(found?.text.split(`"input":${INPUT}`)).toHaveLength(6);
    expect(found?.text).not.toContain('cache_control');
  });
});

describe('a request that is refused again after it was repaired', () => {
  const model = 'claude-opus-4-5';
  const problemIn = (text: string): string | undefined => checkRequest(JSON.parse(text), profileFor(model), { apiVersion: '2023-06-01' })[0]?.text;

  const thoughtful = (message: UnknownObject): UnknownObject =>
    message['role'] === 'assistant' ? { ...message, content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, ...blocksIn(message)] } : message;

  /** Places of blocks that the notes of a request are about, as the client has them and as they went out. */
  const placesIn = ({ notes }: RepairedRequest): { readonly from: ReadonlySet<string>; readonly to: ReadonlySet<string> } => {
    const blocks = notes.flatMap((note) => note.blocks);
    return { from: new Set(blocks.map(([place, index]) => `${place} ${index}`)), to: new Set(blocks.map(([, , message, block]) => `${message} ${block}`)) };
  };
  const placesOf = (messages: readonly UnknownObject[], from: number, count: number): readonly string[] =>
    messages.slice(from, from + count).flatMap((message, at) => blocksIn(message).map((_, index) => `${from + at} ${index}`));

  it('says of every block that is not as the client wrote it what was done to it, and where it is; what is sent instead is in its body', () => {
    const check = (unthinking: readonly UnknownObject[], at: number): void => {
      const messages = unthinking.map(thoughtful);
      const text = JSON.stringify({ model, max_tokens: 100, tools: [{ name: 'Read', input_schema: { type: 'object' } }], messages });
      const uuids = messages.map((_, index) => `m${index}`);
      const refuse = (sent: RepairedRequest | null, message: string): RepairedRequest | null =>
        repaired({ requestId: 'r', text, uuids, sent, error: { status: 400, message }, betas: [], apiVersion: '2023-06-01' });
      const first = refuse(null, problemIn(text) ?? '');
      fc.pre(first !== null);
      const { length } = (JSON.parse(first!.text) as { readonly messages: readonly unknown[] }).messages;
      const second = refuse(first, `messages.${at % length}.content.0: Invalid \`signature\` in \`thinking\` block`);
      fc.pre(second !== null);
      for (const request of [first!, second!]) {
        const noted = placesIn(request);
        const written = (JSON.parse(request.text) as { readonly messages: readonly UnknownObject[] }).messages;
        const { messages: texts } = splitBody(request.text);
        expect(request.instead).toEqual(request.edits.map(({ at, sent }) => texts.slice(at, at + sent).map(plain)));
        for (const edit of request.edits) {
          for (const place of placesOf(messages, edit.from, edit.count)) expect(noted.from).toContain(place);
          for (const place of placesOf(written, edit.at, edit.sent)) expect(noted.to).toContain(place);
        }
      }
    };
    fc.assert(fc.property(damaged, fc.nat(), check), runs(300));
  });
});
