import { describe, expect, it } from '@jest/globals';
import { KNOWN_BETAS } from '../../packages/normalizer/api-rules/known-betas.js';
import { type ApiVersion, API_VERSIONS, SENT_API_VERSION } from '../../packages/normalizer/api-rules/parsed-request.js';
import { askedModels } from '../../packages/protocol/request/asked-models.js';
import type { Problem } from '../../packages/normalizer/api-rules/problem.js';
import type { Rule } from '../../packages/normalizer/api-rules/rules.js';
import { dialectOf } from '../../packages/normalizer/api-rules/schema/dialect.js';
import { requestShape } from '../../packages/normalizer/api-rules/schema/request.js';
import { DEFAULT_MODEL, isKnownModel, profileFor } from '../../packages/normalizer/models/profiles.js';
import { rejectedParts } from '../../packages/normalizer/provider-rejection.js';
import { repairMessages } from '../../packages/normalizer/repair/repair-messages.js';
import { allMembers, allowsNull, literalsOf, sample, SdkTypes, type Wire, type WireObject } from './support/sdk-types.js';

/** Members of the parameters of a call that the SDK sends as headers. */
const HEADERS: ReadonlySet<string> = new Set(['betas', 'user_profile_id', 'workspace_id']);
/** Members that only an earlier version of the API has, so that the types no longer list them (docs: API versions). */
const EARLIER = ['temperature', 'top_p', 'top_k'];

const sdk = new SdkTypes(['resources/beta/messages/messages.d.ts', 'resources/messages/messages.d.ts', 'resources/beta/beta.d.ts', 'resources/shared.d.ts']);
const REQUEST = sdk.wire('MessageCreateParamsBase') as WireObject;
const NAMES = [...allMembers(REQUEST), ...EARLIER];

/** Where the rules differ from the types, and why. */
const DIFFERENCES: readonly (readonly [place: RegExp, reason: string])[] = [
  [
    /content\[\]<tool_(addition|removal)>: .*Input tag/,
    'docs: Mid-conversation system messages: only messages of the role system have these blocks, and the types list one union for all roles',
  ],
];

/** Codes of errors that a part of the conversation can cause, and codes of results that the SDK lists with them. */
const ABOUT_CONTENT: ReadonlySet<string> = new Set(['image_dimensions_too_large', 'tool_reference_unresolved', 'invalid_tool_input', 'max_uses_exceeded']);

/** Rules about the kind of a value; all others are about values of the right kind. */
const OF_KIND: ReadonlySet<Rule> = new Set(['field-required', 'extra-input', 'wrong-type', 'not-one-of', 'missing-type', 'unknown-type']);

/** Members with the name of a model that has answered, and so are no question to one. */
const OF_THE_PAST = /<fallback>\.(from|to)\.model$/;

/** Every place of a request where its types have the name of a model, with a request that has one there. */
function* placesOfModels(wire: Wire, at: string, embed: (value: unknown) => unknown): Generator<readonly [place: string, request: unknown]> {
  if (wire.kind === 'list') yield* placesOfModels(wire.item, `${at}[]`, (value) => embed([value]));
  if (wire.kind === 'union') for (const option of wire.options) yield* placesOfModels(option, `${at}${tagOf(option)}`, embed);
  if (wire.kind !== 'object') return;
  const whole = sample(wire) as Readonly<Record<string, unknown>>;
  for (const [name, member] of wire.members) {
    const within = (value: unknown): unknown => embed({ ...whole, [name]: value });
    if (name === 'model') yield [`${at}.${name}`, within('the model here')];
    else yield* placesOfModels(member.wire, `${at}.${name}`, within);
  }
}

/** Differences between the types and the rules for one version of the API, by place. */
class Comparison {
  private readonly shape;

  constructor(version: ApiVersion) {
    this.shape = requestShape(dialectOf(profileFor(DEFAULT_MODEL), [...KNOWN_BETAS], version));
  }

  differences(): readonly string[] {
    const all = new Set(this.compare(REQUEST, 'request', (value) => value));
    return [...all].filter((line) => !DIFFERENCES.some(([place]) => place.test(line)));
  }

  private problems(body: unknown): readonly Problem[] {
    const problems: Problem[] = [];
    this.shape(body, { key: '' }, problems);
    return problems.filter(({ rule }) => OF_KIND.has(rule));
  }

  /** `embed` puts a value of the type at its place in a whole request. */
  private *compare(wire: Wire, at: string, embed: (value: unknown) => unknown, isOption = false): Generator<string> {
    const refused = (value: unknown): readonly Problem[] => this.problems(embed(value));
    const problem = refused(sample(wire))[0];
    if (problem) return yield `${at}: refused: ${problem.text}`;
    if (wire.kind === 'string' && !isOption && refused({}).length === 0) yield `${at}: an object is accepted`;
    if (wire.kind === 'number' && !isOption && refused('1').length === 0) yield `${at}: a text is accepted`;
    if (wire.kind === 'list' && !allowsNull(wire.item) && refused([null]).length === 0) yield `${at}[]: null is accepted`;
    if (wire.kind === 'list') yield* this.compare(wire.item, `${at}[]`, (value) => embed([value]));
    if (wire.kind === 'union') {
      for (const option of wire.options) yield* this.compare(option, `${at}${tagOf(option)}`, embed, true);
      if (wire.options.every(({ kind }) => kind === 'literal' || kind === 'null') && refused('another text').length === 0) yield `${at}: any text is accepted`;
    }
    if (wire.kind === 'object') yield* this.compareMembers(wire, at, embed);
  }

  private *compareMembers(wire: WireObject, at: string, embed: (value: unknown) => unknown): Generator<string> {
    const whole = sample(wire) as Readonly<Record<string, unknown>>;
    for (const [name, member] of wire.members) {
      if (HEADERS.has(name) && wire === REQUEST) continue;
      // A tag has been compared with its variant.
      if (name !== 'type') yield* this.compare(member.wire, `${at}.${name}`, (value) => embed({ ...whole, [name]: value }));
      const { [name]: _, ...rest } = whole;
      if (!allowsNull(member.wire) && this.problems(embed({ ...whole, [name]: null })).length === 0) yield `${at}.${name}: null is accepted`;
      if (!member.optional && this.problems(embed(rest)).length === 0) yield `${at}.${name}: may be missing`;
    }
    if (wire.open) return;
    const others = NAMES.filter((name) => !wire.members.has(name));
    const problems = this.problems(embed({ ...whole, ...Object.fromEntries(others.map((name) => [name, null])) }));
    const refused = new Set(problems.filter(({ rule }) => rule === 'extra-input').map((problem) => problem.at.split('.').at(-1)));
    const accepted = others.filter((name) => !refused.has(name));
    if (accepted.length > 0) yield `${at}: accepts ${accepted.length === others.length ? 'any member' : accepted.join(', ')}`;
  }
}

function tagOf(option: Wire): string {
  const tag = option.kind === 'object' ? option.members.get('type') : undefined;
  return tag ? `<${literalsOf(tag.wire).join('|')}>` : '';
}

const textBlock = (text: string) => ({ type: 'text', text });

describe('the rules of the model API and the types of the official SDK', () => {
  it('permit the same members and values of requests, by the version of the API that requests are sent with', () => {
    expect(new Comparison(SENT_API_VERSION).differences()).toEqual([]);
  });

  it('differ, for the version before, in the parameters of sampling', () => {
    expect(API_VERSIONS.filter((version) => version !== SENT_API_VERSION)).toEqual(['2023-06-01']);
    expect(new Comparison('2023-06-01').differences()).toEqual([`request: accepts ${EARLIER.join(', ')}`]);
  });

  it('know the same values of the header anthropic-beta', () => {
    expect(literalsOf(sdk.wire('AnthropicBeta')).filter((beta) => !KNOWN_BETAS.has(beta))).toEqual([]);
  });

  it('know the same models', () => {
    expect(literalsOf(sdk.wire('Model')).filter((model) => !isKnownModel(model))).toEqual([]);
  });

  it('know every place where a request names a model', () => {
    const places = [...placesOfModels(REQUEST, 'request', (value) => value)].filter(([place]) => !OF_THE_PAST.test(place));
    expect(places.map(([place]) => place)).toEqual(expect.arrayContaining(['request.model', 'request.fallbacks[].model']));
    expect(places.filter(([, request]) => !askedModels(JSON.stringify(request)).includes('the model here')).map(([place]) => place)).toEqual([]);
  });

  it('know the error codes that are about no content, so that nothing is left out for them', () => {
    // The other files list codes of administration.
    const codes = ['/messages/', '/shared.'].flatMap((file) => sdk.errorCodes(file));
    expect(codes).toContain('request_body_encoding_invalid');
    const blamed = codes
      .filter((errorCode) => !ABOUT_CONTENT.has(errorCode))
      .filter((errorCode) => {
        const sent = {
          payload: { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] },
          trace: [{ source: { uuid: 'u', index: 0 }, target: { message: 0, block: 0 } }],
        };
        return rejectedParts({ status: 400, message: 'messages.0.content.0: refused', details: { errorCode } }, sent as never).length > 0;
      });
    expect(blamed).toEqual([]);
  });

  it('repair nothing for an error code that is about no content, whatever the text names', () => {
    const blocks = [{ type: 'compaction', content: 'A summary.' }, textBlock('b')];
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: [textBlock('')] },
    ];
    const texts = [
      'messages.1.content.0: compaction content does not match the conversation',
      'messages.1.content.0.compaction.content: Input should be a valid string',
      'messages: text content blocks must be non-empty',
      'a text that no rule knows',
    ];
    const codes = ['/messages/', '/shared.'].flatMap((file) => sdk.errorCodes(file)).filter((code) => !ABOUT_CONTENT.has(code));
    expect(codes).toContain('compaction_content_mismatch');
    const repaired = (message: string, errorCode?: string) =>
      repairMessages({
        ...{ body: { model: DEFAULT_MODEL, max_tokens: 1, messages }, messages, uuids: ['m0', 'm1', 'm2'], profile: profileFor(DEFAULT_MODEL), settings: {} },
        error: { status: 400, message, ...(errorCode === undefined ? {} : { details: { errorCode } }) },
      });
    expect(texts.map((text) => repaired(text) !== null)).toEqual([true, true, true, true]);
    expect(codes.filter((code) => texts.some((text) => repaired(text, code) !== null))).toEqual([]);
  });
});
