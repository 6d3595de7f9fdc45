import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonObjectText } from '../support/json-texts.js';
import { conversation, result, user, view } from '../support/normalize/build.js';
import { runs } from '../support/property-runs.js';
import { AnswerStream } from '../../src/engine/model/stream.js';
import { parseTranscript } from '../../src/http/body/json-text.js';
import type { Message } from '../../packages/protocol/message/message.js';
import { parseExact } from '../../packages/protocol/message/exact-json.js';
import { lineText, withStoredTexts } from '../../packages/protocol/message/written-input.js';

/** The answer of a stream in which the call has this input, split in pieces. */
function answerWith(input: string): Message {
  const stream = new AnswerStream();
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5', content: [], stop_reason: null };
  stream.take({ type: 'message_start', message });
  stream.take({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} } });
  for (let at = 0; at < input.length; at += 7) {
    stream.take({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input.slice(at, at + 7) } });
  }
  stream.take({ type: 'message_delta', delta: { stop_reason: 'tool_use' } });
  stream.take({ type: 'message_stop' });
  return { type: 'assistant', uuid: 'u', parentUuid: null, timestamp: '2000-01-01T00:00:00.000Z', message: stream.answer().message };
}

const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const bodyOf = (message: object): string => view(conversation(user('go'), message as never, user([result('toolu_1', 'ok')]))).body;

const sent = (input: string): string => `{"type":"tool_use","id":"toolu_1","name":"f","input":${input}}`;

describe('the input of a call', () => {
  it('is sent as the model wrote it, after it was stored and read', () => {
    fc.assert(
      fc.property(jsonObjectText, (input) => {
        expect(bodyOf(stored(answerWith(input)))).toContain(sent(input));
      }),
      runs(),
    );
  });

  it('is sent as it stood in an exported line, in a line of Claude Code, and in a transcript', () => {
    fc.assert(
      fc.property(jsonObjectText, (input) => {
        const line = lineText(stored(answerWith(input)));
        expect(line).toContain(sent(input.replaceAll('\n', ' ')));
        expect(line).not.toContain('\n');
        expect(line.includes('input_texts')).toBe(input.includes('\n'));
        expect(bodyOf(stored(withStoredTexts(parseTranscript(line) as Message)))).toContain(sent(input));
        const transcript = parseTranscript(`{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[${sent(input)}]}]}`) as {
          messages: object[];
        };
        expect(bodyOf({ type: 'assistant', message: { id: 'msg_1', model: '', ...transcript.messages[1] } })).toContain(sent(input));
      }),
      runs(),
    );
  });

  it('reaches tools as a value with every digit of its integers', () => {
    expect(parseExact('{"id":9007199254740993,"held":9007199254740992,"f":1.0,"far":-1e999,"text":"9007199254740993","list":[18446744073709551615]}')).toEqual({
      id: '9007199254740993',
      held: 9007199254740992,
      f: 1,
      far: '-1e999',
      text: '9007199254740993',
      list: ['18446744073709551615'],
    });
  });

  it('loses members and lone surrogates without a change to the rest', () => {
    const plan = '{"plan":"x", "id":9007199254740993,"f":1.0}';
    const call = { ...answerWith(plan) } as unknown as { message: { content: { name: string }[] } };
    call.message.content[0]!.name = 'ExitPlanMode';
    expect(bodyOf(stored(call))).toContain('"input":{"id":9007199254740993,"f":1.0}');
    expect(bodyOf(stored(answerWith('{"a":"\\ud83d", "id":9007199254740993}')))).toContain('"input":{"a":"\\ufffd", "id":9007199254740993}');
  });
});
