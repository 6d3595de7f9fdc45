import { SYSTEM_MESSAGE } from '../../../packages/protocol/message/attachment.js';
import { instructionsToCarry } from './instructions.js';
import { type InvokedSkill, invokedSkills } from '../prompt/invoked-skills.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { type ContentBlock, textOf } from '../../../packages/protocol/message/content.js';
import type { CompactMetadata, ModelMessage, StoredMessage } from '../../../packages/protocol/message/message.js';
import { SUMMARY_OPENING } from '../../../packages/protocol/message/wire-texts.js';
import type { SentCompaction } from '../../../packages/protocol/events/events.js';

/** Stop reasons of a complete answer. */
const COMPLETE: readonly (string | null)[] = ['end_turn', 'stop_sequence'];

/** The summary in an answer; null when the answer has none or is incomplete. */
export function summaryIn({ content, stop_reason }: ModelMessage): string | null {
  const text = textOf(content).trim();
  return text !== '' && COMPLETE.includes(stop_reason) && !content.some(({ type }) => type === 'tool_use') ? text : null;
}

export interface Ids {
  /** A fresh uuid, from which the ids of the messages are derived. */
  readonly compactionId: string;
  readonly at: string;
}

/** The messages that a compaction appends to `branch`: boundary, summary, the skills in use, and what the operator has said that is not kept otherwise. */
export function summaryMessages(
  summary: string,
  sent: SentCompaction,
  branch: readonly StoredMessage[],
  { compactionId, at: timestamp }: Ids,
): readonly Draft[] {
  const { trigger, preTokens, keptFrom, omitted } = sent;
  const kept = keptIn(branch, keptFrom);
  const skills = skillsToCarry(branch, kept);
  const ids = summaryIds(compactionId);
  const instructions = instructionsToCarry(branch, kept).map((said, index) => ({ uuid: deriveId(compactionId, `system message ${index}`), said }));
  const keptAfter = instructions.at(-1)?.uuid ?? (skills.length > 0 ? ids.skills : ids.summary);
  const compactMetadata: CompactMetadata = { trigger, preTokens, compactionId, keptFrom, keptAfter, omitted };
  const content: ContentBlock[] = [{ type: 'text', text: wrapped(summary, sent) }];
  return [
    { type: 'system', uuid: ids.boundary, timestamp, subtype: 'compact_boundary', level: 'info', content: 'The conversation was compacted.', compactMetadata },
    userMessage({ uuid: ids.summary, timestamp, content, isCompactSummary: true }),
    ...(skills.length === 0
      ? []
      : [
          {
            type: 'attachment' as const,
            uuid: ids.skills,
            timestamp,
            attachment: { type: 'invoked_skills', skills: skills.map(({ name, text }) => ({ name, text })) },
          },
        ]),
    ...instructions.map(({ uuid, said }) => ({ type: 'attachment' as const, uuid, timestamp, attachment: { type: SYSTEM_MESSAGE, ...said } })),
  ];
}

/** Ids of the messages of a compaction. */
export function summaryIds(compactionId: string): Readonly<Record<'boundary' | 'summary' | 'skills', string>> {
  return { boundary: deriveId(compactionId, 'boundary'), summary: deriveId(compactionId, 'summary'), skills: deriveId(compactionId, 'skills') };
}

function wrapped(summary: string, { keptFrom, omitted }: SentCompaction): string {
  const lost = omitted === 0 ? '' : ' The oldest part is missing from it.';
  const kept = keptFrom === null ? '' : ' The turns after it are kept verbatim below.';
  return `${SUMMARY_OPENING}${lost}${kept} Continue from where it ends.\n\n${summary}`;
}

function keptIn(branch: readonly StoredMessage[], keptFrom: string | null): readonly StoredMessage[] {
  const first = keptFrom === null ? -1 : branch.findIndex(({ uuid }) => uuid === keptFrom);
  return first < 0 ? [] : branch.slice(first);
}

/** Skills whose text is not part of the kept turns. */
function skillsToCarry(branch: readonly StoredMessage[], kept: readonly StoredMessage[]): readonly InvokedSkill[] {
  const stays = new Set(invokedSkills(kept).map(({ name }) => name));
  return invokedSkills(branch).filter(({ name }) => !stays.has(name));
}
