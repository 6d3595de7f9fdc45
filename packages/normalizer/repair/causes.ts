import type { Rule } from '../api-rules/index.js';
import type { Pass } from '../pass.js';
import { capMedia } from '../passes/cap-media.js';
import { dropBlankAssistants } from '../passes/drop-blank-assistants.js';
import { dropBlankText } from '../passes/drop-blank-text.js';
import { dropOrphanedThinking } from '../passes/drop-orphaned-thinking.js';
import { dropTrailingThinking } from '../passes/drop-trailing-thinking.js';
import { dropUnknownBlocks } from '../passes/drop-unknown-blocks.js';
import { dropUnsignedThinking } from '../passes/drop-unsigned-thinking.js';
import { endWithUser } from '../passes/end-with-user.js';
import { fillEmptyAssistant } from '../passes/fill-empty-assistant.js';
import { fitBlockShapes } from '../passes/fit-block-shapes.js';
import { flattenBlocks } from '../passes/flatten-blocks.js';
import { mergeAssistants } from '../passes/merge-assistants.js';
import { mergeUsers } from '../passes/merge-users.js';
import { normalizeToolInputs } from '../passes/normalize-tool-inputs.js';
import { pairServerTools } from '../passes/pair-server-tools.js';
import { pairToolResults } from '../passes/pair-tool-results.js';
import { repairToolResults } from '../passes/repair-tool-results.js';
import { sanitizeErrorResults } from '../passes/sanitize-error-results.js';
import { startWithUser } from '../passes/start-with-user.js';
import { stripCaller } from '../passes/strip-caller.js';
import { stripToolReferences } from '../passes/strip-tool-references.js';
import { toolCallsLast } from '../passes/tool-calls-last.js';
import { unifyCitations } from '../passes/unify-citations.js';
import { validateMedia } from '../passes/validate-media.js';
import { wellFormedText } from '../passes/well-formed-text.js';
import { isAboutNoContent, type ProviderError } from '../provider-rejection.js';

/** What one block may contain. A stranger's blocks may have members that this build does not know, so these passes are applied only where the API has named the fault. */
const FORM = [fitBlockShapes, flattenBlocks, dropUnknownBlocks, normalizeToolInputs, repairToolResults, dropUnsignedThinking];
const TEXTS = [repairToolResults, dropBlankText, mergeUsers, dropBlankAssistants, fillEmptyAssistant];
const TURNS = [mergeUsers, mergeAssistants];
const PAIRS = [...TURNS, toolCallsLast, pairToolResults];
const SERVER_PAIRS = [pairServerTools, dropBlankAssistants, fillEmptyAssistant];
const THINKING = [dropUnsignedThinking, dropOrphanedThinking, mergeUsers];
const MEDIA = [validateMedia, capMedia];

/** Passes that are applied only to the messages which the refusal is about. */
export const SCOPED: ReadonlySet<Pass> = new Set([...FORM, validateMedia]);

const form = (...rules: readonly Rule[]): Partial<Record<Rule, readonly Pass[]>> => Object.fromEntries(rules.map((rule) => [rule, FORM]));

/** The passes that remove each violation. A rule that is not here is about the request, the account or the service: nothing in its messages is its cause. */
export const PASSES_OF: Readonly<Partial<Record<Rule, readonly Pass[]>>> = {
  ...form('extra-input', 'field-required', 'wrong-type', 'string-too-short', 'string-too-long', 'out-of-range', 'not-one-of', 'missing-type', 'unknown-type'),
  'string-pattern': [...FORM, ...PAIRS, ...SERVER_PAIRS],
  'invalid-json': [wellFormedText],
  'empty-text': TEXTS,
  'blank-text': TEXTS,
  'cached-empty-text': TEXTS,
  'empty-message': [dropOrphanedThinking, ...TEXTS],
  'empty-error-result': [repairToolResults, sanitizeErrorResults],
  'empty-result-list': [repairToolResults],
  'error-result-not-text': [sanitizeErrorResults],
  'first-message-not-user': [startWithUser],
  'roles-not-alternating': TURNS,
  'tool-use-in-user-message': [dropUnknownBlocks],
  'thinking-in-user-message': [dropUnknownBlocks],
  'server-tool-in-user-message': [dropUnknownBlocks],
  'tool-result-in-assistant-message': [dropUnknownBlocks],
  'media-in-assistant-message': [dropUnknownBlocks],
  'citations-in-user-message': FORM,
  'system-message-first': [mergeUsers],
  'system-message-misplaced': [mergeUsers],
  'system-role-not-supported': [mergeUsers],
  'duplicate-tool-use-id': PAIRS,
  'tool-use-not-last': PAIRS,
  'tool-use-without-result': PAIRS,
  'tool-result-not-first': PAIRS,
  'tool-result-without-use': PAIRS,
  'duplicate-tool-result': PAIRS,
  'toolset-name-mismatch': PAIRS,
  'toolset-result-content': PAIRS,
  'server-tool-use-without-result': SERVER_PAIRS,
  'server-tool-result-without-use': SERVER_PAIRS,
  'duplicate-server-tool-result': SERVER_PAIRS,
  'invalid-encrypted-content': [flattenBlocks, ...SERVER_PAIRS],
  'container-required': [stripCaller],
  'invalid-signature': THINKING,
  'empty-thinking': THINKING,
  'thinking-prefix-mismatch': THINKING,
  'thinking-not-first': THINKING,
  'thinking-while-disabled': THINKING,
  'ends-in-thinking': [dropTrailingThinking, dropOrphanedThinking, endWithUser],
  'prefill-not-supported': [dropTrailingThinking, endWithUser],
  'prefill-with-thinking': [endWithUser],
  'prefill-trailing-whitespace': [endWithUser],
  'unknown-tool-reference': [stripToolReferences, repairToolResults],
  'too-many-cache-markers': [],
  'too-many-media': MEDIA,
  'image-empty': MEDIA,
  'image-unreadable': MEDIA,
  'image-type-mismatch': MEDIA,
  'image-dimensions': MEDIA,
  'many-image-dimensions': MEDIA,
  'pdf-empty': MEDIA,
  'pdf-invalid': MEDIA,
  'too-many-pdf-pages': MEDIA,
  'citations-mixed': [unifyCitations],
};

/** What the API refuses whatever the request's version, model and betas are. A request that it has refused is repaired of all of these at once, since it names only the first. */
export const STRUCTURE: ReadonlySet<Rule> = new Set<Rule>([
  ...(['invalid-json', 'empty-text', 'blank-text', 'cached-empty-text', 'empty-message', 'empty-error-result', 'error-result-not-text'] as const),
  ...(['first-message-not-user', 'duplicate-tool-use-id', 'tool-use-not-last', 'tool-use-without-result', 'tool-result-not-first'] as const),
  ...(['tool-result-without-use', 'duplicate-tool-result', 'server-tool-use-without-result', 'server-tool-result-without-use'] as const),
  ...(['duplicate-server-tool-result', 'ends-in-thinking', 'prefill-not-supported'] as const),
]);

/** Thinking from the named message on: the API names the first block that it cannot use, so those before it are good. */
export const ABOUT_THINKING: ReadonlySet<Rule> = new Set<Rule>([
  'invalid-signature',
  'thinking-prefix-mismatch',
  'thinking-not-first',
  'thinking-while-disabled',
]);

export const ABOUT_SYSTEM_MESSAGES: ReadonlySet<Rule> = new Set<Rule>(['system-message-first', 'system-message-misplaced', 'system-role-not-supported']);

/** Stable codes of the API. */
const CODES: Readonly<Record<string, Rule>> = {
  image_dimensions_too_large: 'many-image-dimensions',
  tool_reference_unresolved: 'unknown-tool-reference',
};

/** Texts of the API, the more special first. A rule of `null`: nothing in the messages is the cause. */
const TEXTS_OF: readonly (readonly [says: RegExp, rule: Rule | null])[] = [
  [
    /prompt is too long|exceed context limit|credit balance|max_tokens|rate limit|anthropic-beta|^(?:model|tools|system|thinking|temperature|top_[pk])\b/i,
    null,
  ],
  [/no low surrogate|lone surrogate/, 'invalid-json'],
  [/blocks with cache_control/, 'too-many-cache-markers'],
  [/cache_control cannot be set for empty text/, 'cached-empty-text'],
  [/must be non-empty|non-whitespace text|empty content/, 'empty-text'],
  [/content cannot be empty if `is_error`/, 'empty-error-result'],
  [/all content must be type `text`/, 'error-result-not-text'],
  [/`tool_use` ids were found without|without `tool_result` blocks immediately after/, 'tool-use-without-result'],
  [/unexpected `tool_use_id` found in `tool_result`/, 'tool-result-without-use'],
  [/must have a single result|multiple `tool_result` blocks/, 'duplicate-tool-result'],
  [/`tool_use` ids must be unique/, 'duplicate-tool-use-id'],
  [/unexpected `tool_use_id` found in `\w+_result`/, 'server-tool-result-without-use'],
  [/was found without a corresponding|`server_tool_use`.*without/, 'server-tool-use-without-result'],
  [/`encrypted_content`/, 'invalid-encrypted-content'],
  [/container_id is required/, 'container-required'],
  [/Invalid `\w+` in `(?:redacted_)?thinking`/, 'invalid-signature'],
  [/bound to a different conversation|cannot be modified/, 'thinking-prefix-mismatch'],
  [/each thinking block must contain/, 'empty-thinking'],
  [/final block in an assistant message cannot be/, 'ends-in-thinking'],
  [/[Ww]hen thinking is disabled/, 'thinking-while-disabled'],
  [/must start with a thinking block|Expected `thinking`/, 'open-turn-without-thinking'],
  [/the first block must be `thinking`/, 'thinking-not-first'],
  [/assistant message prefill|must end with a user message/, 'prefill-not-supported'],
  [/trailing whitespace/, 'prefill-trailing-whitespace'],
  [/first message must use the "user" role/, 'first-message-not-user'],
  [/roles must alternate/, 'roles-not-alternating'],
  [/top-level .?system.? parameter|[Uu]nexpected role "system"|role .?system.? (?:is )?not supported/, 'system-message-first'],
  [/system message must/, 'system-message-misplaced'],
  [/Tool reference .* not found/, 'unknown-tool-reference'],
  [/too many images|many-image requests/, 'many-image-dimensions'],
  [/Could not process image|media type|image dimensions/, 'image-unreadable'],
  [/String should match pattern/, 'string-pattern'],
  [/^messages\.\d.*(?:Extra inputs|Field required|Input should|String should|does not match|List should|valid dictionary)/s, 'extra-input'],
];

/** The rule that a refusal names: by its code, then by its text. Null: nothing in the messages; undefined: it is in words that are not known. */
export function ruleOf(error: ProviderError): Rule | null | undefined {
  if (isAboutNoContent(error)) return null;
  const byCode = CODES[error.details?.errorCode ?? ''];
  return byCode ?? TEXTS_OF.find(([says]) => says.test(error.message))?.[1];
}
