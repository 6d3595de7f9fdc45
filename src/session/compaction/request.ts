import { userMessage } from '../../../packages/protocol/message/draft.js';
import type { Message, StoredMessage } from '../../../packages/protocol/message/message.js';
import { standingIn } from '../../../packages/protocol/message/standing.js';
import { COMPACTION_OPENING } from '../../../packages/protocol/message/wire-texts.js';
import type { SentCompaction } from '../../../packages/protocol/events/events.js';
import { segmentsOf } from '../../../packages/normalizer/segments.js';

/** Inputs of a request for a summary besides the conversation. */
export type SummaryRequest = Pick<SentCompaction, 'instructions' | 'from' | 'to' | 'keptFrom'> & { readonly requestId: string };

/** The messages of a request for a summary: the selected range of the conversation, then the instructions. */
export function summaryRequest(branch: readonly StoredMessage[], { requestId, from, to, instructions, keptFrom }: SummaryRequest): readonly Message[] {
  const { carried, kept, later } = segmentsOf(branch);
  const body = [...kept, ...later];
  const place = (uuid: string | null, otherwise: number): number => (uuid === null ? otherwise : body.findIndex((message) => message.uuid === uuid));
  const content = instructionText(instructions, keptFrom !== null);
  // It is never stored, so it has no recorded time; a rebuild must give it the same one.
  const timestamp = branch.at(-1)?.timestamp ?? '';
  const request: Message = { ...userMessage({ uuid: requestId, timestamp, isMeta: true, content: [{ type: 'text', text: content }] }), parentUuid: null };
  const read = body.slice(place(from, 0), place(to, body.length));
  return [...carried, ...standingOutside(body, read), ...read, request];
}

/** What is in force and not part of the range: it applies to the summary, too. */
function standingOutside(body: readonly StoredMessage[], read: readonly StoredMessage[]): readonly StoredMessage[] {
  const included = new Set(read);
  return [...standingIn(body).values()].filter((message) => !included.has(message));
}

function instructionText(instructions: string | null, isKept: boolean): string {
  const kept = isKept ? ' The latest turns are kept verbatim after it: do not repeat them, but include what they depend on.' : '';
  return [
    `${COMPACTION_OPENING} Do not answer or continue the conversation and do not call tools: your whole reply becomes the summary.${kept}`,
    'The model that continues will have only your summary. Be complete and exact; quote names, paths, commands, numbers, identifiers and error messages verbatim. Use the language of the conversation and these headings; omit empty ones:',
    HEADINGS.map(([heading, text]) => `## ${heading}\n${text}`).join('\n'),
    ...(instructions === null ? [] : [`Instructions of the user for the summary; they take precedence over the above:\n${instructions}`]),
  ].join('\n\n');
}

const HEADINGS: readonly (readonly [heading: string, text: string])[] = [
  ['Goals', 'What the user wants, in the order of the requests, with all preferences about how.'],
  ['Decisions', 'Decisions and constraints that still apply, each with its reason.'],
  ['Done', 'Work and findings, tool calls and their results, failed attempts.'],
  ['Facts', 'Everything that will be needed again, verbatim.'],
  ['Open', 'Unfinished work and unanswered questions.'],
  ['Next', 'The next step that was planned.'],
];
