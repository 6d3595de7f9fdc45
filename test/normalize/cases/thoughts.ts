import { NO_CONTENT, RESULT_MISSING } from '../../../packages/protocol/message/wire-texts.js';
import { call, result, text, thinking } from '../../support/normalize/build.js';
import { assistant, type Case, cutShort, user } from './case.js';

const unsigned = (value: string): object => ({ type: 'thinking', thinking: value });
const searched = (id: string): object => ({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'q' } });
const found = (id: string): object => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });

/** Thinking, and tools that run at the API: what the model made there goes back as it was, or not at all. */
export const THOUGHTS: readonly Case[] = [
  {
    name: 'signed thinking goes back byte for byte, in front of what it led to',
    messages: [user('Think a little.'), assistant(thinking('This  must\tstay.\n', 'sig+/='), 'Done.'), user('Go on.')],
    sent: [['Think a little.'], [thinking('This  must\tstay.\n', 'sig+/='), 'Done.'], ['Go on.']],
    told: [],
  },
  {
    name: 'thinking that the API did not show, empty but signed, goes back too',
    messages: [user('Hi'), assistant(thinking('', 'encrypted'), 'Hello.'), user('Go on.')],
    sent: [['Hi'], [thinking('', 'encrypted'), 'Hello.'], ['Go on.']],
    told: [],
  },
  {
    name: 'unsigned thinking goes, the words stay',
    messages: [user('p'), assistant(unsigned('hm'), 'There are two.'), user('q')],
    sent: [['p'], ['There are two.'], ['q']],
    told: ['1.0 dropped drop-unsigned-thinking'],
  },
  {
    name: 'of answers cut short the one with words stays, the one of thinking alone goes',
    messages: [user('p'), cutShort('aborted', unsigned('hm'), 'half an answer'), user('and'), cutShort('aborted', unsigned('hm')), user('go')],
    sent: [['p'], ['half an answer'], ['and', '\ngo']],
    told: [
      '1.0 dropped drop-unsigned-thinking',
      '3.0 dropped drop-unsigned-thinking',
      '4.0 merged drop-blank-assistants > 2.1',
      '4.0 changed separate-texts > 2.1',
    ],
  },
  {
    name: 'white space between two thoughts stays where it was',
    messages: [user('p'), assistant(thinking('a', '1'), '\n\n', thinking('b', '2'), 'Reading.', call('c1')), user(result('c1', 'r')), user('next')],
    sent: [['p'], [thinking('a', '1'), '\n\n', thinking('b', '2'), 'Reading.', call('c1')], [result('c1', 'r'), 'next']],
    told: ['3.0 merged merge-users > 2.1'],
  },
  {
    name: 'thoughts between calls keep their order',
    messages: [
      user('p'),
      assistant(thinking('a', '1'), call('c1', { n: 1 }, 'note'), thinking('b', '2'), call('c2', { n: 2 }, 'note')),
      user(result('c1', 'ok'), result('c2', 'ok')),
    ],
    sent: [
      ['p'],
      [thinking('a', '1'), call('c1', { n: 1 }, 'note'), thinking('b', '2'), call('c2', { n: 2 }, 'note')],
      [result('c1', 'ok'), result('c2', 'ok')],
    ],
    told: [],
  },
  {
    name: 'a call cut off in its input keeps what was there, and the thinking that led to it',
    messages: [user('p'), assistant(thinking('t', 's'), call('c1', '{"path": "/a", "cont', 'Write')), user('next')],
    sent: [['p'], [thinking('t', 's'), call('c1', { raw: '{"path": "/a", "cont' }, 'Write')], [result('c1', RESULT_MISSING, true), 'next']],
    told: ['1.1 changed normalize-tool-inputs > 1.1', '- added pair-tool-results > 2.0'],
  },
  {
    name: 'a search that was stopped is dropped, the text after it stays, and it gets no result',
    messages: [user('p'), assistant(searched('srvtoolu_1'), 'So far'), user('go on')],
    sent: [['p'], ['So far'], ['go on']],
    told: ['1.0 dropped pair-server-tools'],
  },
  {
    name: 'a search with its result stays in the answer, in order',
    messages: [user('p'), assistant(searched('srv-1'), found('srv-1'), 'Found.'), user('q')],
    sent: [['p'], [searched('srvtoolu_srv_1'), found('srvtoolu_srv_1'), 'Found.'], ['q']],
    told: ['1.0 changed pair-server-tools > 1.0', '1.1 changed pair-server-tools > 1.1'],
  },
  {
    name: 'an answer that was a stopped search and nothing else keeps its place',
    messages: [user('p'), assistant(searched('srvtoolu_1')), user('go on')],
    sent: [['p'], [NO_CONTENT], ['go on']],
    told: ['1.0 dropped pair-server-tools', '- added fill-empty-assistant > 1.0'],
  },
  {
    name: 'a call of the client is moved after a search that ran at the API',
    messages: [user('p'), assistant(call('c1'), searched('srvtoolu_1'), found('srvtoolu_1')), user(result('c1', 'ok'))],
    sent: [['p'], [searched('srvtoolu_1'), found('srvtoolu_1'), call('c1')], [result('c1', 'ok')]],
    told: ['1.1 moved tool-calls-last > 1.0', '1.2 moved tool-calls-last > 1.1'],
  },
  {
    name: 'half an emoji in an answer is mended, thinking in front of it stays as signed',
    messages: [user('p'), assistant(thinking('whole 🧵', 's'), text('half \ud83d')), user('q')],
    sent: [['p'], [thinking('whole 🧵', 's'), 'half \ufffd'], ['q']],
    told: ['1.1 changed well-formed-text > 1.1'],
  },
];
