import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { runs } from '../../../test/support/property-runs.js';
import { splitBody } from './message-texts.js';
import { changedMembers, continuedText, withoutThread } from './thread-texts.js';

/** An object with its members in another order. */
const shuffled = (object: UnknownObject): fc.Arbitrary<UnknownObject> =>
  fc.shuffledSubarray(Object.entries(object), { minLength: Object.keys(object).length }).map((entries) => Object.fromEntries(entries));

const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const user = fc.oneof(
  text.map((content) => ({ role: 'user', content })),
  text.map((content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] })),
);
const answer = text.map((said) => ({ role: 'assistant', content: [{ type: 'text', text: said }] }));
const kept = fc.record(
  {
    system: fc.oneof(
      text,
      text.map((said) => [{ type: 'text', text: said }]),
    ),
    tools: fc.array(text.map((name) => ({ name }))),
  },
  { requiredKeys: [] },
);
const options = fc.record(
  { model: fc.constant('m'), max_tokens: fc.nat(), metadata: fc.record({ user_id: text }), stop_sequences: fc.array(text) },
  { requiredKeys: ['model'] },
);

/** A request that begins a thread, and later ones: what each adds, its options, and which of the earlier requests it continues. */
const tree = fc.tuple(kept, options, fc.array(user, { minLength: 1, maxLength: 3 })).chain(([same, first, messages]) =>
  fc.record({
    root: shuffled({ ...same, ...first, messages }),
    steps: fc.array(fc.record({ answer, messages: fc.array(user, { maxLength: 2 }), own: options, parent: fc.nat() }), { maxLength: 6 }),
  }),
);

const written = (value: unknown, space: number | string): string => JSON.stringify(value, null, space);
const withThread = (body: UnknownObject, at: number, thread: object): UnknownObject =>
  Object.fromEntries(Object.entries(body).toSpliced(at % (Object.keys(body).length + 1), 0, ['thread', thread]));

describe('a request of a message thread', () => {
  it('is what it is without its member "thread", at any place in it and however the body is written', () => {
    fc.assert(
      fc.property(tree, fc.nat(), fc.constantFrom('', 1, '\t'), ({ root }, at, space) => {
        const sent = written(withThread(root, at, { type: 'create' }), space);
        expect(withoutThread(sent)).toBe(written(root, space));
      }),
      runs(300),
    );
  });

  it('goes out as a client would send it that has the whole conversation, whichever answer it continues', () => {
    fc.assert(
      fc.property(tree, fc.nat(), ({ root, steps }, at) => {
        const requests = [{ body: root, text: JSON.stringify(root) }];
        for (const step of steps) {
          const parent = requests[step.parent % requests.length]!;
          // Members in the order in which the client writes them, each with its own value; those of the thread as they are.
          const known = Object.keys(parent.body).filter((name) => ['system', 'tools', 'messages'].includes(name) || name in step.own);
          const added = Object.keys(step.own).filter((name) => !known.includes(name));
          const place = known.indexOf('messages');
          const names = [...known.slice(0, place), ...added, ...known.slice(place)];
          const history = [...(parent.body['messages'] as readonly unknown[]), step.answer, ...step.messages];
          const whole = Object.fromEntries(
            names.map((name) => [name, name === 'messages' ? history : ((step.own as UnknownObject)[name] ?? parent.body[name])]),
          );
          const own = Object.fromEntries(Object.entries({ ...whole, messages: step.messages }).filter(([name]) => !['system', 'tools'].includes(name)));
          const next = JSON.stringify(withThread(own, at, { type: 'continue', previous_message_id: 'a' }));
          const sent = continuedText({ earlier: parent.text, answer: JSON.stringify(step.answer), next });
          expect(sent).toBe(JSON.stringify(whole));
          requests.push({ body: whole, text: sent });
        }
      }),
      runs(300),
    );
  });

  it('begins with the same bytes as the one that it continues, however the client writes its bodies', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom('', 1, '\t'), ({ root, steps }, space) => {
        let earlier = written(root, space);
        for (const { answer: said, messages } of steps) {
          const own = Object.fromEntries(Object.entries({ ...root, messages }).filter(([name]) => !['system', 'tools'].includes(name)));
          const next = written({ ...own, thread: { type: 'continue', previous_message_id: 'a' } }, space);
          const sent = continuedText({ earlier, answer: JSON.stringify(said), next });
          const { before, messages: sentBefore } = splitBody(earlier);
          const prefix = earlier.slice(0, earlier.indexOf(sentBefore.at(-1)!, before.length) + sentBefore.at(-1)!.length);
          expect(sent.startsWith(before)).toBe(true);
          expect(splitBody(sent).messages.slice(0, sentBefore.length)).toEqual(sentBefore);
          if (sentBefore.length === 1) expect(sent.startsWith(prefix)).toBe(true);
          earlier = sent;
        }
      }),
      runs(200),
    );
  });

  it('keeps the newest cache markers when the conversation has more than a request may have', () => {
    const marked = (name: string) => ({ role: 'user', content: [{ type: 'text', text: name, cache_control: { type: 'ephemeral' } }] });
    let sent = JSON.stringify({ model: 'm', messages: [marked('0')] });
    for (let at = 1; at <= 6; at += 1)
      sent = continuedText({
        earlier: sent,
        answer: '{"role":"assistant","content":"ok"}',
        next: JSON.stringify({ model: 'm', messages: [marked(String(at))] }),
      });
    const { messages } = JSON.parse(sent) as {
      readonly messages: readonly { readonly content: readonly { readonly text: string; readonly cache_control?: unknown }[] }[];
    };
    const of = messages.filter((_, index) => index % 2 === 0).map(({ content }) => [content[0]!.text, content[0]!.cache_control !== undefined]);
    expect(of).toEqual([0, 1, 2, 3, 4, 5, 6].map((at) => [String(at), at > 2]));
  });

  it('may repeat what the thread keeps, and not change it', () => {
    const earlier = '{"model":"m","system":[{"type":"text","text":"s"}],"messages":[]}';
    const next = (more: string): string => `{"model":"m","messages":[]${more}}`;
    expect(changedMembers(earlier, next(''))).toEqual([]);
    expect(changedMembers(earlier, next(', "system": [ {"type": "text", "text": "\\u0073"} ]'))).toEqual([]);
    expect(changedMembers(earlier, next(',"system":"s","tools":[]'))).toEqual(['system', 'tools']);
    expect(changedMembers(earlier, '{"model":"other","messages":[]}')).toEqual(['model']);
  });

  it.each(['{"thread":{"type":"create"},"model":"m","model":"n","messages":[]}', '{"thread":{"type":"create"},"messages":[],"messages":[]}'])(
    'is refused when a member stands twice: %s',
    (body) => expect(() => withoutThread(body)).toThrow('twice'),
  );
});
