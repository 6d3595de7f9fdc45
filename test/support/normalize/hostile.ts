import fc, { type Arbitrary } from 'fast-check';
import type { Message } from '../../../packages/protocol/message/message.js';
import { INTERRUPTED } from '../../../packages/protocol/message/wire-texts.js';
import { aMutatedAttachment, anAssistantBlock, aServerPair, aUserBlock } from './hostile-blocks.js';
import { assistant, attachment, conversation, type Entry, image, PIXEL, system, user, uuidAt } from './build.js';

/** Transcripts with every kind of damage: every kind of entry and block, in any order, with few ids so that they collide. */

const aText = fc.constantFrom('', ' ', '\n\n', 'a', 'two words', 'trailing  ', '\ud83d', 'x\udc00y', '<system-reminder>\nold\n</system-reminder>');
const aCallId = fc.constantFrom('a', 'b', 'c', 'a_2', 'call|1', 'functions.read:0', '');
const aServerId = fc.constantFrom('srvtoolu_1', 'srvtoolu_2', 'srv-3');
const anInput = fc.constantFrom<unknown>({}, { path: '/a' }, { half: '\ud83d' }, '', '{"path":"/a"}', '{"path', null, [], [1], undefined);
const aContent = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  ' ',
  'fine',
  '\ud83d',
  [],
  [{ type: 'text', text: '' }],
  [image()],
  7,
  { a: 1 },
  [{ type: 'text', text: 'words' }, image(), { type: 'tool_use', id: 'n', name: 'nested', input: {} }, { type: 'tool_reference', tool_name: 'gone' }],
  [{ type: 'tool_reference', tool_name: 'Read' }],
  [null, image(), 'text'],
);

/** Members that a client, a stream or an earlier request may have added to a block. */
const withExtraKeys = (block: Arbitrary<object>): Arbitrary<object> =>
  fc
    .tuple(block, fc.constantFrom({}, {}, {}, { cache_control: { type: 'ephemeral' } }, { index: 3, partial_json: '{' }))
    .map(([own, foreign]) => ({ ...own, ...foreign }));

const aTextBlock = aText.map((text) => ({ type: 'text', text }));
const aCall = fc
  .record({ id: aCallId, input: anInput, name: fc.constantFrom('Read', ' Read ', '', 'x'.repeat(300)) })
  .map((call) => ({ type: 'tool_use', ...call }));
const aResult = fc
  .record({ tool_use_id: aCallId, content: aContent, is_error: fc.constantFrom<unknown>(true, false, undefined, null) })
  .map((block) => ({ type: 'tool_result', ...block }));
const aThought = fc.constantFrom(
  { type: 'thinking', thinking: 'signed', signature: 'sig' },
  { type: 'thinking', thinking: '', signature: 'not shown' },
  { type: 'thinking', thinking: 'unsigned' },
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking', signature: 'no text' },
  { type: 'thinking', thinking: 'cut \ud83d', signature: 'sig' },
  { type: 'redacted_thinking', data: 'encrypted' },
  { type: 'redacted_thinking', data: '' },
);
const aServerBlock = fc.oneof(
  fc.record({
    type: fc.constant('server_tool_use'),
    id: aServerId,
    name: fc.constantFrom('web_search', 'advisor', 'unheard_of'),
    input: fc.constant({ query: 'q' }),
  }),
  fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: aServerId, content: fc.constant([]) }),
);
const anUnknownBlock = fc.constantFrom<object>(
  { type: 'reasoning', text: 'r' },
  { type: 'text' },
  { type: 'progress', data: {} },
  { type: 'tool_result' },
  { type: 'image' },
);
const anImage = fc.constantFrom<object>(image(), image(''), { type: 'image', source: { type: 'base64', media_type: 'image/heic', data: PIXEL } });

const anyBlock = withExtraKeys(
  fc.oneof(aTextBlock, aTextBlock, aCall, aResult, aThought, aServerBlock, anUnknownBlock, anImage, aUserBlock, aUserBlock, anAssistantBlock, anAssistantBlock),
);
const anAttachment = fc.constantFrom(
  attachment('hook_additional_context', { hookName: 'PostToolUse:Bash', content: ['noted', 'twice'] }),
  attachment('command_permissions', { allowedTools: ['Bash'] }),
  attachment('queued_command', { prompt: 'and this' }),
  attachment('queued_command', { prompt: [{ type: 'text', text: 'with a picture' }, image()] }),
  attachment('selected_lines', { filename: 'a.ts', content: 'one\ntwo' }),
  attachment('hook_additional_context', { hookName: 'Stop', content: [] }),
);
/** What is sent in the role `system`, to models that take it: of the operator, and of another program. */
const anInstruction = fc.constantFrom<Entry>(
  attachment('system_message', { content: 'Answer in verse.' }),
  attachment('system_message', { content: '<system-reminder>\nIt is late.\n</system-reminder>' }),
  attachment('system_message', { content: ' ' }),
  { ...attachment('system_message'), rendered: [{ content: 'Be brief.' }], renderedRole: 'system' },
  { ...attachment('other'), rendered: [{ content: [{ type: 'text', text: 'Look.' }, image()] }], renderedRole: 'system' },
);
const aMutated = aMutatedAttachment.map((content) => ({ type: 'attachment', attachment: content }) as Entry);
const aSystemMessage = fc.constantFrom(
  system('local_command', 'ls: a b'),
  system('local_command', ''),
  system('api_error', 'Overloaded'),
  system('turn_duration', '3 s'),
  system('compact_boundary', 'compacted'),
  { ...system('compact_boundary', 'compacted'), compactMetadata: { keptFrom: uuidAt(2), keptAfter: uuidAt(6) } },
);
const aReaderEntry = fc.constantFrom<Entry>(
  { type: 'tombstone', removed: [] },
  { type: 'progress', toolUseId: 'a', data: 1 },
  { type: 'tool_use_summary', summary: 'Read 3 files', toolUseIds: [] },
);

const API_ERRORS = [
  'pdf_invalid',
  'image_too_large',
  'request_too_large',
  { type: 'block_rejected', blockUuid: uuidAt(1), index: 0 },
  { type: 'block_rejected', blockUuid: uuidAt(2), index: 0, inner: 1 },
].map((apiError) => ({
  isApiErrorMessage: true,
  apiError,
}));

const aUser = fc
  .tuple(
    fc.oneof(aText, fc.array(anyBlock, { maxLength: 4 })),
    fc.constantFrom({}, {}, {}, { isMeta: true }, { isVirtual: true }, { isMeta: true, isCompactSummary: true }),
  )
  .map(([content, flags]) => user(content, flags));
const anAssistant = fc
  .tuple(
    fc.constantFrom('m1', 'm2', 'm3', ''),
    fc
      .array(fc.oneof({ weight: 3, arbitrary: anyBlock.map((block) => [block]) }, { weight: 1, arbitrary: aServerPair }), { maxLength: 4 })
      .map((parts) => parts.flat()),
    fc.constantFrom({}, {}, {}, {}, { isVirtual: true }, { isApiErrorMessage: true }, ...API_ERRORS),
  )
  .map(([id, content, flags]) => assistant(id, content, flags));

export const hostileTranscript: Arbitrary<readonly Message[]> = fc
  .array(fc.oneof(aUser, aUser, anAssistant, anAssistant, anAttachment, anInstruction, aMutated, aSystemMessage, aReaderEntry), { maxLength: 14 })
  .map((entries) => conversation(...entries));

/** A conversation as the turn engine writes it, of hostile content, and the points at which a request went out. */
export interface Orderly {
  readonly messages: readonly Message[];
  /** How many of the messages each request was made of. */
  readonly requests: readonly number[];
}

interface Step {
  readonly pieces: readonly (readonly object[])[];
  /** Which of the calls get a result, and what stands around the results. */
  readonly answered: boolean;
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
}

const aFallback = fc.constant({ type: 'fallback', from: { model: 'a' }, to: { model: 'b' } });

/** Without server tools: the API sends the result of a server tool in the answer that calls it. */
const anAnswerBlock = withExtraKeys(fc.oneof(aTextBlock, aTextBlock, aCall, aThought, anUnknownBlock, aFallback));
const aStep: Arbitrary<Step> = fc.record({
  pieces: fc.array(fc.array(anAnswerBlock, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  answered: fc.constantFrom(true, true, true, false),
  before: fc.array(anAttachment, { maxLength: 1 }),
  after: fc.array(fc.oneof(anAttachment, aReaderEntry), { maxLength: 2 }),
});
/** Results come through the turn engine, which closes every call before the next request. */
const aPromptBlock = aUserBlock.filter((block) => (block as { type: string }).type !== 'tool_result');
const aPrompt = fc
  .tuple(
    fc.oneof(aText, fc.array(withExtraKeys(fc.oneof(aTextBlock, aThought, anUnknownBlock, anImage, aPromptBlock)), { maxLength: 3 })),
    fc.constantFrom({}, { isMeta: true }, { isVirtual: true }),
  )
  .map(([content, flags]) => user(content, flags));
/** How a turn ends. */
type End = 'answer' | 'failure' | 'interruption';
const aTurn = (ends: readonly End[], others: readonly Arbitrary<Entry>[]) =>
  fc.record({
    prompt: fc.array(
      fc.oneof(
        aPrompt,
        aPrompt,
        anAttachment,
        ...others,
        aSystemMessage.filter((entry) => entry['subtype'] !== 'api_error' && entry['subtype'] !== 'compact_boundary'),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    steps: fc.array(aStep, { maxLength: 3 }),
    end: fc.constantFrom(...ends),
    last: fc.array(aTextBlock, { maxLength: 2 }),
  });

/** Of turns that end in one of these ways. */
export const conversationThatEndsIn = (...ends: readonly End[]): Arbitrary<Orderly> => conversationOf(ends, []);

/** Of turns that were answered, with messages of the system among the prompts. */
export const instructedConversation = (): Arbitrary<Orderly> => conversationOf(['answer'], [anInstruction]);

const conversationOf = (ends: readonly End[], others: readonly Arbitrary<Entry>[]): Arbitrary<Orderly> =>
  fc.array(aTurn(ends, others), { minLength: 1, maxLength: 4 }).map((turns) => {
    const entries: Entry[] = [];
    const requests: number[] = [];
    turns.forEach(({ prompt, steps, end, last }, at) => {
      entries.push(...prompt);
      requests.push(entries.length);
      steps.forEach(({ pieces, answered, before, after }, step) => {
        for (const piece of pieces) entries.push(assistant(`m${at}.${step}`, piece));
        entries.push(...before);
        const said = pieces.flat() as readonly { type: string }[];
        const declined = said.findLastIndex(({ type }) => type === 'fallback');
        const calls = said.slice(declined + 1).filter((block): block is { id: string; type: string } => (block as { type: string }).type === 'tool_use');
        if (answered) for (const { id } of calls) entries.push(user([{ type: 'tool_result', tool_use_id: id, content: 'done' }], { isMeta: true }));
        entries.push(...after);
        requests.push(entries.length);
      });
      if (end === 'answer') entries.push(assistant(`m${at}.end`, last));
      if (end === 'failure') entries.push(system('api_error', 'Overloaded'));
      if (end === 'interruption') entries.push(user([{ type: 'text', text: INTERRUPTED }]));
    });
    return { messages: conversation(...entries), requests };
  });

export const orderlyConversation: Arbitrary<Orderly> = conversationThatEndsIn('answer', 'failure', 'interruption');
