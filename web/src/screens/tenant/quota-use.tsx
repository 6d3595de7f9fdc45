import type { AnswerOf } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { clockTime, count, dollars } from '../../app/words.ts';
import { gigabytesOf } from './gigabytes.ts';

export type QuotaState = AnswerOf<'listQuotas'>['data'][number];
export type Quota = QuotaState['quota'];

export const QUOTA_LABELS: Readonly<Record<Quota, string>> = {
  promptsPerDay: 'Prompts a day',
  tokensPerDay: 'Tokens a day',
  dollarsPerDay: 'Dollars a day',
  sessions: 'Conversations',
  storageBytes: 'Storage',
};

export const quotaInWords = (quota: Quota, value: number): string =>
  quota === 'storageBytes' ? storage(value) : quota === 'dollarsPerDay' ? dollars(value) : count(value);

const HOLDERS: Readonly<Record<QuotaState['scope'], string>> = { tenant: 'the tenant', user: 'yours', token: 'this token', session: 'this conversation' };

/** With decimal units, as limits are set. */
function storage(value: number): string {
  if (value >= 1e9) return `${gigabytesOf(Math.round(value / 1e7) * 1e7)} GB`;
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)} MB` : value >= 1e3 ? `${Math.round(value / 1e3)} kB` : `${value} B`;
}

interface Props {
  /** Undefined: there is no limit. */
  readonly state: QuotaState | undefined;
  /** When the day of the limits ends. */
  readonly resetsAt: string | undefined;
}

/** What is used of a limit: as a bar, and in words with where the day leads at its pace. */
export function QuotaUse({ state, resetsAt }: Props) {
  if (!state) return <span className="quota-use" />;
  const { quota, used, limit } = state;
  const part = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <span className="quota-use">
      <span className="meter" role="img" aria-label={`${Math.round(100 * part)} % used`}>
        <span className={used >= limit ? 'full' : 'used'} style={{ width: `${100 * part}%` }} />
      </span>
      <span className="aside">
        {quotaInWords(quota, used)} of {quotaInWords(quota, limit)} used{resetsAt !== undefined && quota.endsWith('PerDay') && paceOf(state, resetsAt)}
      </span>
    </span>
  );
}

const DAY = 86_400_000;
/** A shorter part of a day says little about all of it. */
const LEAST = 0.08;

/** Where the day leads when it continues as it began. */
function paceOf({ quota, used, limit }: QuotaState, resetsAt: string): string {
  const end = Date.parse(resetsAt);
  const gone = 1 - (end - Date.now()) / DAY;
  if (used >= limit) return `; full until ${clockTime(resetsAt)}`;
  if (used === 0 || gone < LEAST) return '';
  const whole = used / gone;
  if (whole <= limit) return `; about ${quotaInWords(quota, quota === 'dollarsPerDay' ? whole : Math.round(whole))} by the end of the day`;
  return `; full at about ${clockTime(new Date(end - DAY + (DAY * limit) / whole).toISOString())} at this pace`;
}

/** The limits that concern a person who may not change them. */
export function LimitsInForce() {
  const client = useClient();
  const { data } = useLoad((signal) => client.listQuotas({}, { signal }), [client]);
  if (!data || data.data.length === 0) return null;
  return (
    <section className="card" aria-label="Quotas">
      <h2>Limits</h2>
      {data.data.map((state) => (
        <div key={state.scope + state.quota} className="limit-row">
          <span>
            {QUOTA_LABELS[state.quota]} ({HOLDERS[state.scope]})
          </span>
          <span />
          <QuotaUse state={state} resetsAt={data.resetsAt} />
        </div>
      ))}
    </section>
  );
}
