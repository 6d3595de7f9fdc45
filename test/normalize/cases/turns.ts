import { CONTINUE, CONVERSATION_BEGINS, MEDIA_UNUSABLE } from '../../../packages/normalizer/placeholders.js';
import { call, image, result, text } from '../../support/normalize/build.js';
import { assistant, type Case, hidden, user } from './case.js';

const MARK = { cache_control: { type: 'ephemeral' } };

/** Whose turn it is, what is in it, and what is not for the model at all. */
export const TURNS: readonly Case[] = [
  {
    name: 'nothing makes a request of nothing, which is reported',
    messages: [],
    sent: [],
    told: [],
    problems: ['messages-empty'],
  },
  {
    name: 'rows of one role become a turn, and blocks in the wrong role go',
    messages: [
      user('Hello'),
      user('Is anyone there?'),
      assistant('Yes.', result('stray', 'ok')),
      assistant({ type: 'thinking', thinking: 'Let me see.', signature: 'sig' }),
      user(call('theirs', {}, 'search'), 'Good.'),
    ],
    sent: [['Hello', '\nIs anyone there?'], ['Yes.'], ['Good.']],
    told: [
      '1.0 merged merge-users > 0.1',
      '1.0 changed separate-texts > 0.1',
      '2.1 dropped drop-unknown-blocks',
      '3.0 dropped drop-orphaned-thinking',
      '4.0 dropped drop-unknown-blocks',
    ],
  },
  {
    name: 'notes for readers are not sent, and nothing around them is lost',
    messages: [user('One'), hidden('a note'), user('Two'), user('Three'), hidden('another'), assistant('Answer'), hidden('a third'), user('Four')],
    sent: [['One', '\nTwo', '\nThree'], ['Answer'], ['Four']],
    told: [
      '1.0 dropped drop-virtual',
      '2.0 merged merge-users > 0.1',
      '2.0 changed separate-texts > 0.1',
      '3.0 merged merge-users > 0.2',
      '3.0 changed separate-texts > 0.2',
      '4.0 dropped drop-virtual',
      '6.0 dropped drop-virtual',
    ],
  },
  {
    name: 'four rows of a user among notes are one turn of four texts',
    messages: [user('One'), hidden('a note'), user('Two'), user('Three'), user('Four'), hidden('another')],
    sent: [['One', '\nTwo', '\nThree', '\nFour']],
    told: [
      '1.0 dropped drop-virtual',
      '2.0 merged merge-users > 0.1',
      '2.0 changed separate-texts > 0.1',
      '3.0 merged merge-users > 0.2',
      '3.0 changed separate-texts > 0.2',
      '4.0 merged merge-users > 0.3',
      '4.0 changed separate-texts > 0.3',
      '5.0 dropped drop-virtual',
    ],
  },
  {
    name: 'a note in front of everything leaves the first prompt first',
    messages: [hidden('not for the model'), user('for the model')],
    sent: [['for the model']],
    told: ['0.0 dropped drop-virtual'],
  },
  {
    name: 'a row of one string and a row of blocks become one turn, neither empty',
    messages: [user('as a string'), { role: 'user', content: [text('as a block')] }, assistant('Fine.'), user('next')],
    sent: [['as a string', '\nas a block'], ['Fine.'], ['next']],
    told: ['1.0 merged merge-users > 0.1', '1.0 changed separate-texts > 0.1'],
  },
  {
    name: 'three answers in a row are one turn of three texts',
    messages: [user('Hi!'), assistant('Hello'), assistant('World'), assistant('!'), user('Well')],
    sent: [['Hi!'], ['Hello', 'World', '!'], ['Well']],
    told: ['2.0 merged merge-assistants > 1.1', '3.0 merged merge-assistants > 1.2'],
  },
  {
    name: 'a greeting by the assistant stays, after a placeholder',
    messages: [assistant('What can I do?'), user('This.')],
    sent: [[CONVERSATION_BEGINS], ['What can I do?'], ['This.']],
    told: ['- added start-with-user > 0.0'],
  },
  {
    name: 'a conversation that ends with an answer gets a placeholder after it',
    messages: [user('p'), assistant('An answer.  ')],
    sent: [['p'], ['An answer.  '], [CONTINUE]],
    told: ['- added end-with-user > 2.0'],
  },
  {
    name: 'or ends without white space, on a model that goes on from there',
    messages: [user('p'), assistant('An answer.  ')],
    settings: { model: 'claude-haiku-4-5' },
    sent: [['p'], ['An answer.']],
    told: ['1.0 changed end-with-user > 1.0'],
  },
  {
    name: 'white space at the end of an answer in the middle stays',
    messages: [user('p'), assistant('An answer.  '), user('q')],
    sent: [['p'], ['An answer.  '], ['q']],
    told: [],
  },
  {
    name: 'the stored notice of a failed request is not an answer',
    messages: [user('p'), { ...assistant('The service could not be reached.'), isApiErrorMessage: true }, user('again')],
    sent: [['p', '\nagain']],
    told: ['1.0 dropped drop-reader-only', '2.0 merged merge-users > 0.1', '2.0 changed separate-texts > 0.1'],
  },
  {
    name: 'an answer without blocks keeps its turn',
    messages: [user('p'), { role: 'assistant', content: [] }, user('q')],
    sent: [['p'], ['(no content)'], ['q']],
    told: ['1.0 dropped none', '- added fill-empty-assistant > 1.0'],
  },
  {
    name: 'an answer of an empty string keeps its turn',
    messages: [user('same'), assistant(''), user('same')],
    sent: [['same'], ['(no content)'], ['same']],
    told: ['1.0 dropped none', '- added fill-empty-assistant > 1.0'],
  },
  {
    name: 'an answer of an empty text and empty thinking goes',
    messages: [user('Hello'), assistant(text(''), { type: 'thinking', thinking: '' }), user('World')],
    sent: [['Hello', '\nWorld']],
    told: ['1.0 dropped drop-blank-text', '1.1 dropped drop-unsigned-thinking', '2.0 merged drop-blank-assistants > 0.1', '2.0 changed separate-texts > 0.1'],
  },
  {
    name: 'an empty text in front of a call goes, the call stays',
    messages: [user('p'), assistant(text(''), call('c1', { run: 'ls' }, 'exec')), user(result('c1', 'a'))],
    sent: [['p'], [call('c1', { run: 'ls' }, 'exec')], [result('c1', 'a')]],
    told: ['1.0 dropped drop-blank-text'],
  },
  {
    name: 'blank texts of a prompt go',
    messages: [user('something', text(''), text('  \n  '))],
    sent: [['something']],
    told: ['0.1 dropped drop-blank-text', '0.2 dropped drop-blank-text'],
  },
  {
    name: 'a row of nothing but what the model has no word for goes',
    messages: [user('weather?'), assistant({ type: 'progress', data: { place: 'here' } }), assistant('It is sunny.'), user('good')],
    sent: [['weather?'], ['It is sunny.'], ['good']],
    told: ['1.0 dropped drop-unknown-blocks'],
  },
  {
    name: 'a file without data gives way to a note, the others stay',
    messages: [user('Compare', image(), image('', 'image/jpeg')), assistant('OK.'), user('and?')],
    sent: [['Compare', image(), MEDIA_UNUSABLE], ['OK.'], ['and?']],
    told: ['0.2 changed validate-media > 0.2'],
  },
  {
    name: 'an empty text in front of a picture goes, the picture stays in front of the words',
    messages: [user(text(''), image(), 'look'), assistant('OK.'), user('and?')],
    sent: [[image(), 'look'], ['OK.'], ['and?']],
    told: ['0.0 dropped drop-blank-text'],
  },
  {
    name: 'a picture in a result stays there, next to a failed one and an empty one',
    messages: [
      user('do all'),
      assistant('Doing.', call('c1', { a: 'b' }, 'one'), call('c2', { a: 'c' }, 'two'), call('c3', {}, 'two')),
      user(result('c1', 'did not work', true)),
      user(result('c2', [image()])),
      user(result('c3', [])),
      user('next'),
    ],
    sent: [
      ['do all'],
      ['Doing.', call('c1', { a: 'b' }, 'one'), call('c2', { a: 'c' }, 'two'), call('c3', {}, 'two')],
      [result('c1', 'did not work', true), result('c2', [image()]), result('c3'), 'next'],
    ],
    told: ['3.0 merged merge-users > 2.1', '4.0 changed repair-tool-results > 2.2', '4.0 merged merge-users > 2.2', '5.0 merged merge-users > 2.3'],
  },
  {
    name: 'markers that were stored do not go out again, least of all on thinking',
    messages: [
      user({ ...text('one'), ...MARK }),
      assistant({ type: 'thinking', thinking: 't', signature: 's', ...MARK }, text('two')),
      user({ ...text('three'), ...MARK }),
      assistant({ ...text('four'), ...MARK }),
      user({ ...text('five'), ...MARK }),
      assistant('six'),
      user({ ...text('seven'), ...MARK }),
    ],
    sent: [['one'], [{ type: 'thinking', thinking: 't', signature: 's' }, 'two'], ['three'], ['four'], ['five'], ['six'], ['seven']],
    told: [
      '0.0 changed fit-block-shapes > 0.0',
      '1.0 changed fit-block-shapes > 1.0',
      '2.0 changed fit-block-shapes > 2.0',
      '3.0 changed fit-block-shapes > 3.0',
      '4.0 changed fit-block-shapes > 4.0',
      '6.0 changed fit-block-shapes > 6.0',
    ],
  },
];
