import { userMessage } from '../message/factory.js';
import type { Message, StoredMessage } from '../message/message.js';
import { COMPACTION_OPENING } from '../message/wire-texts.js';
import type { SentCompaction } from '../session/events.js';
import { segmentsOf } from './segments.js';

/** What a request for a summary depends on besides the conversation. */
export type SummaryRequest = Pick<SentCompaction, 'instructions' | 'from' | 'to' | 'keptFrom'> & { readonly requestId: string };

/** The conversation, or the part of it that is read, with what is asked of the model behind it. */
export function summaryRequest(branch: readonly StoredMessage[], { requestId, from, to, instructions, keptFrom }: SummaryRequest): readonly Message[] {
  const { carried, kept, later } = segmentsOf(branch);
  const body = [...kept, ...later];
  const place = (uuid: string | null, otherwise: number): number => (uuid === null ? otherwise : body.findIndex((message) => message.uuid === uuid));
  const content = instructionText(instructions, keptFrom !== null);
  const asked: Message = { ...userMessage({ uuid: requestId, timestamp: '', isMeta: true, content: [{ type: 'text', text: content }] }), parentUuid: null };
  return [...carried, ...body.slice(place(from, 0), place(to, body.length)), asked];
}

function instructionText(instructions: string | null, isKept: boolean): string {
  const kept = isKept ? ' The latest turns stay behind it word for word, so they need no retelling; what they build on does.' : '';
  return [
    `${COMPACTION_OPENING} Do not answer it, do not go on with it, call no tools: your reply as a whole becomes that summary.${kept}`,
    'Whoever goes on will know nothing but what you write. Be complete and exact; give names, paths, commands, figures, identifiers and error texts as they were. Use the language of the conversation, and these headings, leaving out those that have nothing under them:',
    HEADINGS.map(([heading, text]) => `## ${heading}\n${text}`).join('\n'),
    ...(instructions === null ? [] : [`The user wants this of the summary; it goes before all of the above:\n${instructions}`]),
  ].join('\n\n');
}

const HEADINGS: readonly (readonly [heading: string, text: string])[] = [
  ['Aims', 'What the user wants, in the order it was asked, with every wish about how.'],
  ['Agreed', 'Decisions, and constraints that still hold, with the reason for each.'],
  ['Done', 'What was done and found, tools used and what came of it, what was tried and failed.'],
  ['Facts', 'Whatever will be needed again, word for word.'],
  ['Open', 'What is unfinished or unanswered.'],
  ['Next', 'The step that was about to be taken.'],
];
