import { describe, expect, it } from '@jest/globals';
import type { Message } from '../message/message.js';
import { noteInputs } from '../message/written-input.js';
import { storedBlockText } from './stored-block.js';

const message = (json: string): Message => {
  const parsed = JSON.parse(json) as Message;
  noteInputs(parsed, json);
  return parsed;
};
const user = (content: string): Message => message(`{"type":"user","uuid":"u","parentUuid":null,"timestamp":"t","content":${content}}`);
const assistant = (content: string, more = ''): Message =>
  message(`{"type":"assistant","uuid":"a","parentUuid":null,"timestamp":"t","message":{"id":"m","role":"assistant","model":"x","content":${content}${more}}}`);

/** Requests of the past are made of these texts. A row is never changed; a form that is new gets a row. */
const FROZEN: readonly (readonly [name: string, stored: Message, index: number, without: readonly string[], text: string | null])[] = [
  ['a text', user('"it\'s \\"so\\" \\u2028 ä"'), 0, [], '{"type":"text","text":"it\'s \\"so\\" \u2028 ä"}'],
  ['an empty text is no block', user('""'), 0, [], null],
  ['a block', user('[{"type":"text","text":"a","more":{"z":1,"a":[1.5,null,true]}}]'), 0, [], '{"type":"text","text":"a","more":{"z":1,"a":[1.5,null,true]}}'],
  ['the second block', user('[{"type":"text","text":"a"},{"type":"text","text":"b"}]'), 1, [], '{"type":"text","text":"b"}'],
  ['no such block', user('[{"type":"text","text":"a"}]'), 1, [], null],
  [
    'an image',
    user('[{"type":"image","source":{"type":"blob","media_type":"image/png","sha256":"f1","bytes":3,"width":1,"height":1}}]'),
    ...([0, []] as const),
    '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}',
  ],
  [
    'an image in a result, as it was fitted',
    user(
      '[{"type":"tool_result","tool_use_id":"c","content":[{"type":"image","source":{"type":"blob","media_type":"image/png","sha256":"f1","bytes":3,"original":{"type":"blob","media_type":"image/tiff","sha256":"f2","bytes":9}}}]}]',
    ),
    ...([0, []] as const),
    '{"type":"tool_result","tool_use_id":"c","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}',
  ],
  [
    'a call',
    assistant('[{"type":"tool_use","id":"c","name":"Read","input":{"b":1,"a":2},"caller":{"type":"direct"}}]'),
    0,
    ['caller'],
    '{"type":"tool_use","id":"c","name":"Read","input":{"b":1,"a":2}}',
  ],
  [
    'a call as the model wrote it',
    assistant('[{"type":"tool_use","id":"c","name":"Read","input":{"2":1,"1":1}}]', ',"input_texts":{"0":"{\\"2\\": 1.0, \\"1\\": 1e0}"}'),
    ...([0, []] as const),
    '{"type":"tool_use","id":"c","name":"Read","input":{"2": 1.0, "1": 1e0}}',
  ],
  ['thinking', assistant('[{"type":"thinking","thinking":"hm","signature":"sig=="}]'), 0, [], '{"type":"thinking","thinking":"hm","signature":"sig=="}'],
  [
    'output of a command',
    message('{"type":"system","subtype":"local_command","uuid":"s","parentUuid":null,"timestamp":"t","content":"done"}'),
    0,
    [],
    '{"type":"text","text":"done"}',
  ],
];

describe('the text of a stored block', () => {
  it.each(FROZEN)('is what it always was: %s', (_name, stored, index, without, text) => {
    expect(storedBlockText(stored, index, without, (file) => (file === 'f1' ? 'AAAA' : undefined))).toBe(text);
  });
});
