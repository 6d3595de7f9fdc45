import { type InvokedSkill, invokedSkills } from '../prompt/invoked-skills.js';
import { userMessage } from '../message/factory.js';
import { type ContentBlock, textOf } from '../message/content.js';
import type { CompactMetadata, ModelMessage, StoredMessage } from '../message/message.js';
import { SUMMARY_OPENING } from '../message/wire-texts.js';
import type { SentCompaction } from '../session/events.js';
import type { Draft } from '../message/draft.js';

/** Reasons to stop after which an answer is whole. */
const WHOLE: readonly (string | null)[] = ['end_turn', 'stop_sequence'];

/** The summary in a model's answer; null when it gave none, or none that has an end. */
export function summaryIn({ content, stop_reason }: ModelMessage): string | null {
  const text = textOf(content).trim();
  return text !== '' && WHOLE.includes(stop_reason) && !content.some(({ type }) => type === 'tool_use') ? text : null;
}

export interface Ids {
  readonly compactionId: string;
  /** For the boundary, the summary, and what is carried over besides. */
  readonly uuids: readonly [string, string, string];
  readonly at: string;
}

/** The messages that a compaction puts behind `branch`: the boundary, the summary, and the skills that are in use. */
export function summaryMessages(
  summary: string,
  sent: SentCompaction,
  branch: readonly StoredMessage[],
  { compactionId, uuids, at: timestamp }: Ids,
): readonly Draft[] {
  const { trigger, preTokens, keptFrom, omitted } = sent;
  const skills = skillsToCarry(branch, keptFrom);
  const keptBehind = skills.length > 0 ? uuids[2] : uuids[1];
  const compactMetadata: CompactMetadata = { trigger, preTokens, compactionId, keptFrom, keptBehind, omitted };
  const content: ContentBlock[] = [{ type: 'text', text: wrapped(summary, sent) }];
  return [
    { type: 'system', uuid: uuids[0], timestamp, subtype: 'compact_boundary', level: 'info', content: 'The conversation was compacted.', compactMetadata },
    userMessage({ uuid: uuids[1], timestamp, content, isCompactSummary: true }),
    ...(skills.length === 0
      ? []
      : [
          {
            type: 'attachment' as const,
            uuid: uuids[2],
            timestamp,
            attachment: { type: 'invoked_skills', skills: skills.map(({ name, text }) => ({ name, text })) },
          },
        ]),
  ];
}

function wrapped(summary: string, { keptFrom, omitted }: SentCompaction): string {
  const lost = omitted === 0 ? '' : ' Its very beginning was too long to be summed up and is not part of it.';
  const kept = keptFrom === null ? '' : ' The turns that followed stand behind it word for word.';
  return `${SUMMARY_OPENING}${lost}${kept} Go on from where it stands, as if you remembered it all.\n\n${summary}`;
}

/** Those whose text does not stay with the turns that are kept. */
function skillsToCarry(branch: readonly StoredMessage[], keptFrom: string | null): readonly InvokedSkill[] {
  const first = keptFrom === null ? -1 : branch.findIndex(({ uuid }) => uuid === keptFrom);
  const stays = new Set(first < 0 ? [] : invokedSkills(branch.slice(first)).map(({ name }) => name));
  return invokedSkills(branch).filter(({ name }) => !stays.has(name));
}
