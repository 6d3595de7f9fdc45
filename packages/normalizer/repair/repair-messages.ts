import { checkRequest, type CheckSettings, type Problem, type Rule } from '../api-rules/index.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import type { ApiError, Message } from '../../protocol/message/message.js';
import { isObject, type UnknownObject } from '../../protocol/message/unknown-json.js';
import { RESULT_MISSING } from '../../protocol/message/wire-texts.js';
import type { TraceEntry } from '../../protocol/request/trace-entry.js';
import { offeredTools } from '../offered-tools.js';
import { type Pass, type PassContext, perMessage } from '../pass.js';
import { dropRejectedMedia } from '../passes/drop-rejected-media.js';
import { PASSES } from '../passes/index.js';
import { isThinking } from '../passes/drop-orphaned-thinking.js';
import { type Profile } from '../models/profiles.js';
import { type ProviderError, rejectedParts } from '../provider-rejection.js';
import { Tracer } from '../trace.js';
import { lift, type Working, type WorkingMessage } from '../working-message.js';
import { ABOUT_THINKING, PASSES_OF, ruleOf, SCOPED, STRUCTURE } from './causes.js';
import { Lifted } from './lifted.js';

/** The messages of a request that the model API refused, as it may accept them. */
export interface RepairedMessages {
  /** In order: the index of a message that stays as it is, or a message in its new form. */
  readonly messages: readonly (number | UnknownObject)[];
  /** What was done to each block of the messages that were given. `uuid` is the one that was given for the message. */
  readonly trace: readonly TraceEntry[];
}

export interface RefusedRequest {
  readonly body: UnknownObject;
  /** Its messages. */
  readonly messages: readonly UnknownObject[];
  /** A name for each of them. */
  readonly uuids: readonly string[];
  readonly error: ProviderError;
  readonly profile: Profile;
  readonly settings: Pick<CheckSettings, 'betas' | 'apiVersion'>;
}

/**
 * Repairs the smallest part of a request that the model API has refused: what the refusal names, and then what the API always refuses, since it names only the first
 * fault. Everything else stays as it is. Null: nothing in the messages is the cause, or nothing is known that would help.
 */
export function repairMessages(refused: RefusedRequest): RepairedMessages | null {
  const { body, messages, uuids, error, profile, settings } = refused;
  const named = ruleOf(error);
  if (named === null || (named !== undefined && PASSES_OF[named] === undefined)) return null;
  const lifted = new Lifted(messages, uuids);
  if (!lifted.isReadable) return null;
  const problems = (of: readonly unknown[]): readonly Problem[] => checkRequest({ ...body, messages: of }, profile, settings);
  const found = problems(messages);
  const rejected = rejectedBlocks(refused, lifted);
  const rules = new Set<Rule>(named === undefined ? [] : [named]);
  for (const { rule } of found) if (STRUCTURE.has(rule)) rules.add(rule);
  if (rules.size === 0 && rejected.length === 0) return null;
  const { tools } = body;
  const offered = Array.isArray(tools) ? tools.filter(isObject).filter(({ name }) => typeof name === 'string') : [];
  const context: PassContext = {
    profile,
    model: String(body['model']),
    gates: { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true, advisor: true },
    tools: offeredTools(offered as never),
    userContext: {},
  };
  for (let rounds = 0; rounds < PASSES.length; rounds += 1) {
    const scope = scopeOf(error, named, found, lifted);
    const plan = planOf({ rules, scope, lifted, error, hasRejected: rejected.length > 0 });
    const { working, trace } = apply(plan, lifted.turns(rules, scope), rejected, context);
    const { items, placed } = lifted.items(working);
    const sent = items.map((item) => (typeof item === 'number' ? messages[item]! : item));
    const left = problems(sent).filter(({ rule }) => STRUCTURE.has(rule) && !rules.has(rule));
    if (left.length === 0) return isSame(items, messages.length) ? null : { messages: items, trace: placed(trace) };
    for (const { rule } of left) rules.add(rule);
  }
  return null;
}

const isSame = (items: readonly (number | UnknownObject)[], count: number): boolean =>
  items.length === count && items.every((item) => typeof item === 'number');

interface Plan {
  readonly rules: ReadonlySet<Rule>;
  /** Names of the messages that the refusal is about. */
  readonly scope: ReadonlySet<string>;
  readonly lifted: Lifted;
  readonly error: ProviderError;
  readonly hasRejected: boolean;
}

function planOf({ rules, scope, lifted, error, hasRejected }: Plan): readonly Pass[] {
  const wanted = new Set<Pass>([...rules].flatMap((rule) => PASSES_OF[rule] ?? []));
  if (hasRejected) wanted.add(dropRejectedMedia);
  const before: Pass[] = rules.has('tool-use-without-result') || rules.has('duplicate-tool-result') ? [dropStandIns] : [];
  if ([...rules].some((rule) => ABOUT_THINKING.has(rule))) before.push(dropThinkingFrom(lifted.namesFrom(positionIn(error))));
  return [...before, ...PASSES.filter((pass) => wanted.has(pass)).map((pass) => (SCOPED.has(pass) ? within(pass, scope) : pass))];
}

/** The messages that the refusal names, and those with the same fault. None is named: all with a fault of its kind. */
function scopeOf(error: ProviderError, named: Rule | undefined, found: readonly Problem[], lifted: Lifted): ReadonlySet<string> {
  const at = positionIn(error);
  const like = suffixOf(error.message);
  const same = found.filter(
    ({ rule, text }) => text === error.message || (rule === named && named !== 'extra-input') || (like !== null && suffixOf(text) === like),
  );
  const places = same.flatMap((problem) => /^messages\.(\d+)/.exec(problem.at)?.slice(1) ?? []).map(Number);
  return new Set([...places, ...(at === null ? [] : [at])].flatMap((index) => lifted.nameOf(index)));
}

/** What a message about a member says, without where: `tool_use.index: Extra inputs are not permitted`. */
function suffixOf(text: string): string | null {
  return /^messages\.\d+\.content\.\d+\.(.+)$/s.exec(text)?.[1] ?? null;
}

function positionIn({ details, message }: ProviderError): number | null {
  const at = /\bmessages\.(\d+)/.exec(details?.paths?.[0] ?? message)?.[1];
  return at === undefined ? null : Number(at);
}

/** What the engine drops of its own requests after the same refusal. */
function rejectedBlocks({ error, messages }: RefusedRequest, lifted: Lifted): readonly ApiError[] {
  const rule = ruleOf(error);
  const isAboutContent = rule === undefined || /^(?:image|pdf|many-image)-/.test(rule ?? '');
  if (!isAboutContent) return [];
  const payload = { messages: messages.map(({ role, content }) => ({ role, content: Array.isArray(content) ? content : [] })) };
  return rejectedParts(error, { payload, trace: lifted.identityTrace() } as never, lifted.messages);
}

function apply(
  plan: readonly Pass[],
  working: Working,
  rejected: readonly ApiError[],
  context: PassContext,
): { readonly working: Working; readonly trace: readonly TraceEntry[] } {
  let now: Working = [...working, ...lift(rejected.map(rejection))];
  const tracer = new Tracer(working);
  for (const pass of plan) {
    const after = pass.apply(now, context);
    tracer.compare(pass, now, after);
    now = after;
  }
  now = now.filter(({ original }) => original?.uuid !== REJECTION);
  return { working: now, trace: tracer.finish(now).filter(({ source }) => source?.uuid !== REJECTION) };
}

const REJECTION = 'rejection';

const rejection = (apiError: ApiError): Message =>
  ({
    ...{ type: 'assistant', uuid: REJECTION, parentUuid: null, timestamp: '', apiError },
    message: { id: '', role: 'assistant', model: '', content: [], stop_reason: null },
  }) as Message;

function within(pass: Pass, scope: ReadonlySet<string>): Pass {
  const { transform } = pass;
  if (!transform) return pass;
  return { ...pass, ...perMessage((message, settings) => (scope.has(message.original?.uuid ?? '') ? transform(message, settings) : message)) };
}

/** A result that stood for a missing one makes room for the real one, which may have come. */
const dropStandIns: Pass = {
  name: 'drop-stand-ins',
  reason: 'the real result may have come since',
  ...perMessage((message) => without(message, ({ block }) => block.type === 'tool_result' && block.content === RESULT_MISSING)),
};

const dropThinkingFrom = (names: ReadonlySet<string>): Pass => ({
  name: 'drop-refused-thinking',
  reason: 'the model API refused thinking from here on',
  ...perMessage((message) => (names.has(message.original?.uuid ?? '') ? without(message, isThinking) : message)),
});

function without(message: WorkingMessage, isLeftOut: (block: WorkingMessage['blocks'][number]) => boolean): WorkingMessage {
  const blocks = message.blocks.filter((block) => !isLeftOut(block));
  return blocks.length === message.blocks.length ? message : { ...message, blocks };
}
