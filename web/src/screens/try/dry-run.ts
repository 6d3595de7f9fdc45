import type { AnswerOf, Client, Message } from '@verbatim/client';
import { checkRequest } from '../../../../packages/normalizer/api-rules/index.ts';
import { profileFor } from '../../../../packages/normalizer/models/profiles.ts';
import { readMessages } from '../../../../packages/normalizer/plain-message.ts';
import { align, type Row } from '../request/align.ts';
import type { Viewed } from '../request/request-view.tsx';
import { type Note, type Pasted, readPasted } from './pasted.ts';

type Normalized = AnswerOf<'normalizeMessages'>;
export type Problem = Normalized['problems'][number];

export interface DryRun {
  readonly view: Viewed;
  readonly rows: readonly Row[];
  readonly model: string;
  /** What the model API would say about it as it was pasted; null: it is no request of the model API. */
  readonly before: readonly Problem[] | null;
  /** What it would say about `repaired`. */
  readonly after: readonly Problem[];
  readonly repaired: object;
  readonly notes: readonly Note[];
  readonly changedOptions: Normalized['changedOptions'];
  /** Positions in an error are those of the messages as they were pasted; otherwise of the payload. */
  readonly isPlain: boolean;
}

/** A pasted request does not say its version; the first one has every member. */
const PASTED = { apiVersion: '2023-06-01' } as const;

/** `model`: in place of that of the request. Rejects with an UnreadablePaste, or with what the server says. */
export async function dryRun(client: Client, text: string, model: string): Promise<DryRun> {
  const pasted = await readPasted(text);
  const body = model === '' ? pasted.body : { ...pasted.body, model };
  const answer = await client.normalizeMessages({ body });
  const { payload, trace, problems, notes, changedOptions } = answer;
  const view = { original: readMessages(body.messages) as unknown as readonly Message[], payload, trace } as Viewed;
  const repaired = repairedOf(pasted, payload);
  const rest = { model: payload.model, max_tokens: payload.max_tokens };
  const problemsOf = (request: object): readonly Problem[] => checkRequest(request, profileFor(payload.model), PASTED);
  return {
    view,
    rows: align(view),
    model: payload.model,
    before: pasted.request && problemsOf({ ...rest, ...pasted.request, ...(model === '' ? {} : { model }) }),
    after: pasted.isWhole ? problemsOf({ ...rest, ...repaired }) : problems,
    repaired,
    notes: [...pasted.notes, ...notes],
    changedOptions,
    isPlain: pasted.request !== null,
  };
}

/** Members that the dry run fits to the model. */
const FITTED = ['thinking', 'output_config', 'tool_choice', 'stop_sequences', 'fallbacks'] as const;

/** A whole request keeps what is not part of the dry run, its tools and its system prompt as they were written. */
function repairedOf({ request, isWhole }: Pasted, payload: Normalized['payload']): object {
  if (!isWhole || request === null) return payload;
  const { modelOptions: _, gates: __, userContext: ___, systemContext: ____, ...own } = request;
  const kept = Object.entries(own).filter(([name]) => !(FITTED as readonly string[]).includes(name));
  const fitted = FITTED.flatMap((name) => (own[name] === undefined || payload[name] === undefined ? [] : [[name, payload[name]] as const]));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(fitted), model: payload.model, messages: payload.messages };
}

/** What is known of a place that an error names. */
export interface Explained {
  readonly place: string;
  /** What became of the block there; null: there is no such block. */
  readonly row: Row | null;
}

const PLACE = /\bmessages\.(\d+)(?:\.content\.(\d+))?/g;

/** The places in the messages that the text of an error names. */
export function explained(error: string, { rows, view, isPlain }: DryRun): readonly Explained[] {
  const places = new Map([...error.matchAll(PLACE)].map(([place, message, block]) => [place, { message: Number(message), block: Number(block ?? 0) }]));
  return [...places].map(([place, { message, block }]) => {
    const uuid = view.original[message]?.uuid;
    const row = isPlain
      ? rows.find(({ stored }) => stored !== null && stored.message.uuid === uuid && stored.index === block)
      : rows.find(({ sent }) => sent?.message === message && sent.block === block);
    return { place, row: row ?? null };
  });
}

/** The sentence of an error that was copied as JSON, or as it is. */
export function messageIn(error: string): string {
  const json = error.slice(error.indexOf('{'));
  try {
    const value = JSON.parse(json) as { readonly error?: { readonly message?: unknown }; readonly message?: unknown };
    const message = value.error?.message ?? value.message;
    return typeof message === 'string' ? message : error;
  } catch {
    return error;
  }
}
