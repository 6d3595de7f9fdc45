import type { AnswerOf } from '@verbatim/client';
import { useId } from 'react';
import { bytesOf, gigabytesOf } from './gigabytes.ts';
import { QUOTA_LABELS, quotaInWords, type QuotaState, QuotaUse } from './quota-use.tsx';

export type Quotas = AnswerOf<'getSettings'>['quotas'];
export type Limits = NonNullable<Quotas['tenant']>;
type Quota = keyof Limits;
/** What is written in the fields, by the quota. Empty: no limit. */
export type LimitTexts = Readonly<Partial<Record<Quota, string>>>;

/** Each limit with the smallest step in which it is set, and the unit in which it is written. */
const FIELDS: readonly (readonly [quota: Quota, step: string, unit?: string])[] = [
  ['promptsPerDay', '1'],
  ['tokensPerDay', '1'],
  ['dollarsPerDay', 'any'],
  ['sessions', '1'],
  ['storageBytes', '0.000000001', 'GB'],
];

export const textsOf = (limits: Limits | undefined): LimitTexts =>
  Object.fromEntries(Object.entries(limits ?? {}).map(([quota, limit]) => [quota, quota === 'storageBytes' ? gigabytesOf(limit) : String(limit)]));

export const limitsOf = (texts: LimitTexts): Limits =>
  Object.fromEntries(
    FIELDS.flatMap(([quota]) => {
      const text = texts[quota] ?? '';
      return text === '' ? [] : [[quota, quota === 'storageBytes' ? bytesOf(text) : Number(text)]];
    }),
  );

interface Props {
  readonly texts: LimitTexts;
  readonly onChange: (texts: LimitTexts) => void;
  /** What is used of each; null: it is not known yet, or not to be shown. */
  readonly states: readonly QuotaState[] | null;
  readonly resetsAt?: string | undefined;
  /** Limits that hold where a person has none of their own: each is said beside its field. */
  readonly others?: Limits;
}

/** A field for each limit, with what is used of it. */
export function LimitFields({ texts, onChange, states, resetsAt, others }: Props) {
  const id = useId();
  return FIELDS.map(([quota, step, unit]) => (
    <div key={quota} className="limit-row">
      <label htmlFor={`${id}-${quota}`}>{QUOTA_LABELS[quota]}</label>
      <span className="with-unit">
        <input
          id={`${id}-${quota}`}
          type="number"
          min={0}
          max={quota === 'storageBytes' ? Math.floor(Number.MAX_SAFE_INTEGER / 1e9) : Number.MAX_SAFE_INTEGER}
          step={step}
          value={texts[quota] ?? ''}
          placeholder="no limit"
          onChange={({ target }) => onChange({ ...texts, [quota]: target.value })}
        />
        {unit !== undefined && <span className="unit">{unit}</span>}
      </span>
      {others !== undefined && <span className="aside">each person: {others[quota] === undefined ? 'no limit' : quotaInWords(quota, others[quota])}</span>}
      {states !== null && <QuotaUse state={states.find((one) => one.quota === quota)} resetsAt={resetsAt} />}
    </div>
  ));
}
