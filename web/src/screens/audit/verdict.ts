import type { AnswerOf } from '@verbatim/client';
import { count, plural } from '../../app/words.ts';

type Audit = AnswerOf<'auditSession'>;

const FINDINGS: Readonly<Record<NonNullable<Audit['finding']>, string>> = {
  missing: 'an event is missing',
  altered: 'an event is not the one that was recorded',
  content: 'the content of an event is not the one that was recorded',
  erasure: 'an event was erased without an entry that says so',
  parent: 'the conversation that it was forked from is not as it was',
  head: 'the log does not end where it did',
  fold: 'the state does not follow from the events',
  archive: 'it is archived, and the object storage does not have it as it was archived',
  unreadable: 'an event cannot be read',
  row: 'its row in the list is not that of the log',
  file: 'a file is gone or has other bytes',
  request: 'what was sent for a request is not in the log',
  set_back: 'the log does not continue the one that was audited before',
  transparency_log: 'it is not what the transparency log has',
};

export interface Verdict {
  readonly isGood: boolean;
  readonly text: string;
  /** What of it is as it was recorded, and what was erased. */
  readonly scope?: string;
}

/** Whether anything was changed, in one sentence, from all that the audit has looked at. */
export function verdictOf(audit: Audit): Verdict {
  const { valid, finding, events, erased, files, firstInvalidSeq, parents = [] } = audit;
  if (!valid) {
    const what = finding === undefined ? 'the log is not as it was recorded' : (FINDINGS[finding] ?? finding);
    return { isGood: false, text: `Something was changed: ${what}${firstInvalidSeq === undefined ? '' : ` (event ${count(firstInvalidSeq)})`}.` };
  }
  const scope = [
    plural(events, 'event'),
    ...(files.checked > 0 ? [plural(files.checked, 'file')] : []),
    ...(parents.length > 0 ? [`the shared history of ${plural(parents.length, 'parent')}`] : []),
  ].join(', ');
  const gone = erased > 0 ? `; the content of ${plural(erased, 'event')} was erased, as the log says` : '';
  return { isGood: true, text: 'Nothing was changed.', scope: `As recorded: ${scope}${gone}.` };
}

/** Numbers of a text as the console writes them, such as `1,106`; not those that are part of a name. */
export const grouped = (text: string): string => text.replace(/(?<=^|\s)\d{4,}(?=[\s:]|$)/g, (digits) => count(Number(digits)));
