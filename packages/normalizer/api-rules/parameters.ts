import type { Profile, ThinkingMode } from '../models/profiles.js';
import { standIn, type Report } from './problem.js';
import { continuesThread, isObject, listOf, textOf, type JsonObject, type Stage } from './parsed-request.js';

/** Request parameters whose accepted values depend on the model: lengths, sampling, effort, thinking, forced tools. */
export const parameters: Stage = ({ body, profile }, report) => {
  outputLength(body, profile, report);
  sampling(body, profile, report);
  effort(body, profile, report);
  thinkingMode(body, profile, report);
  toolChoice(body, profile, report);
  contextEdits(body, report);
  stopSequences(body, report);
  wholeRequest(body, report);
};

const settingOf = (body: JsonObject, field: string, key: string): unknown => {
  const value = body[field];
  return isObject(value) ? value[key] : undefined;
};

const thinkingOf = (body: JsonObject): string => textOf(settingOf(body, 'thinking', 'type'));
const forcesTool = (body: JsonObject): boolean => ['any', 'tool'].includes(textOf(settingOf(body, 'tool_choice', 'type')));

/** Docs: Models overview, "Max output"; Prompt caching, "Pre-warming the cache". */
function outputLength(body: JsonObject, profile: Profile, report: Report): void {
  const max = body['max_tokens'];
  if (typeof max !== 'number') return;
  if (max > profile.maxOutputTokens) {
    const comparison = `${max} > ${profile.maxOutputTokens}, which is the maximum allowed number of output tokens for ${textOf(body['model'])}`;
    report({ rule: 'max-tokens-over-model-limit', at: 'max_tokens', text: `max_tokens: ${comparison}` });
  }
  if (max !== 0) return;
  const conflicts = [
    [body['stream'] === true, '`stream`'],
    [thinkingOf(body) === 'enabled', '`thinking.type` "enabled"'],
    [isObject(settingOf(body, 'output_config', 'format')), '`output_config.format`'],
    [forcesTool(body), '`tool_choice` of type "any" or "tool"'],
  ] as const;
  for (const [isSet, name] of conflicts) {
    if (isSet)
      report({
        rule: 'cache-prewarm-conflict',
        at: 'max_tokens',
        text: standIn(`max_tokens: 0 cannot be combined with ${name}`),
      });
  }
}

/** Docs: the models' migration guides, "Sampling parameters". */
function sampling(body: JsonObject, profile: Profile, report: Report): void {
  const { temperature, top_p: topP, top_k: topK } = body;
  const reject = (at: string, sentence: string): void => report({ rule: 'sampling-not-supported', at, text: standIn(`${at}: ${sentence}`) });
  if (profile.sampling === 'defaults-only') {
    const sentence = 'only the default value is supported on this model';
    if (typeof temperature === 'number' && temperature !== 1) reject('temperature', sentence);
    if (typeof topP === 'number' && topP < 0.99) reject('top_p', sentence);
    if (topK !== undefined) reject('top_k', 'not supported on this model');
    return;
  }
  if (temperature !== undefined && topP !== undefined) reject('top_p', 'cannot be set together with `temperature` on this model');
  if (thinkingOf(body) === 'enabled' && typeof temperature === 'number' && temperature !== 1) {
    report({
      rule: 'temperature-with-thinking',
      at: 'temperature',
      text: '`temperature` may only be set to 1 when thinking is enabled.',
    });
  }
}

/** Docs: Effort. */
function effort(body: JsonObject, { effortLevels }: Profile, report: Report): void {
  const level = textOf(settingOf(body, 'output_config', 'effort'));
  if (level === '' || effortLevels.some((supported) => supported === level)) return;
  const unsupported = `This model does not support effort level '${level}'. Supported levels: ${[...effortLevels].sort().join(', ')}.`;
  const text = effortLevels.length > 0 ? unsupported : standIn('This model does not support the effort parameter.');
  report({ rule: 'effort-not-supported', at: 'output_config.effort', text });
}

/** Docs: Thinking, "Configuring thinking"; Thinking troubleshooting; Errors. */
function thinkingMode(body: JsonObject, profile: Profile, report: Report): void {
  const mode = thinkingOf(body);
  const modes: readonly string[] = profile.thinkingModes;
  const reject = (text: string): void => report({ rule: 'thinking-mode-not-supported', at: 'thinking.type', text });
  if (Object.hasOwn(REJECTED_MODES, mode) && !modes.includes(mode)) reject(REJECTED_MODES[mode as ThinkingMode](modes));
  const level = textOf(settingOf(body, 'output_config', 'effort'));
  if ((mode === 'disabled' || mode === 'between_tools') && modes.includes(mode) && ['xhigh', 'max'].includes(level) && !profile.thinkingOffAtTopEffort) {
    reject(standIn(`"thinking.type.${mode}" is not supported at effort '${level}' on this model`));
  }
  const budget = settingOf(body, 'thinking', 'budget_tokens');
  const max = body['max_tokens'];
  if (mode === 'enabled' && typeof budget === 'number' && typeof max === 'number' && budget >= max && max > 0) {
    const text = '`max_tokens` must be greater than `thinking.budget_tokens`.';
    report({ rule: 'thinking-budget-over-max-tokens', at: 'max_tokens', text });
  }
}

const USE_ADAPTIVE = 'is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

const REJECTED_MODES: Readonly<Record<ThinkingMode, (accepted: readonly string[]) => string>> = {
  enabled: () => `"thinking.type.enabled" ${USE_ADAPTIVE}`,
  disabled: (accepted) =>
    accepted.includes('between_tools')
      ? 'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}.'
      : `"thinking.type.disabled" ${USE_ADAPTIVE}`,
  adaptive: () => 'adaptive thinking is not supported on this model',
  between_tools: () => standIn('"thinking.type.between_tools" is not supported for this model'),
};

/** Docs: Thinking, "Limits"; Errors, "Forced tool use not supported". */
function toolChoice(body: JsonObject, profile: Profile, report: Report): void {
  if (!forcesTool(body)) return;
  if (profile.forcedToolChoice === 'rejected') {
    const text = 'tool_choice: type "tool" and "any" are not supported for this model.';
    report({ rule: 'forced-tool-choice-not-supported', at: 'tool_choice.type', text });
  } else if (thinkingOf(body) === 'enabled') {
    const text = 'Thinking may not be enabled when tool_choice forces tool use.';
    report({ rule: 'forced-tool-choice-with-thinking', at: 'tool_choice.type', text });
  }
}

function stopSequences(body: JsonObject, report: Report): void {
  const index = listOf(body['stop_sequences']).findIndex((sequence) => typeof sequence === 'string' && sequence.trim() === '');
  if (index < 0) return;
  const text = 'stop_sequences: each stop sequence must contain non-whitespace';
  report({ rule: 'blank-stop-sequence', at: `stop_sequences.${index}`, text });
}

/** Fields that exclude each other (docs: Compaction; Message threads). */
function wholeRequest(body: JsonObject, report: Report): void {
  const isSet = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  if (isSet('compaction') && isSet('context_management')) {
    report({ rule: 'compaction-with-context-management', at: 'compaction', text: standIn('compaction: cannot be combined with `context_management`') });
  }
  if (continuesThread(body) && isSet('system')) {
    report({
      rule: 'thread-continue-with-system',
      at: 'system',
      text: standIn('system: a request that continues a thread has the system prompt of the thread'),
    });
  }
}

/** Docs: Context editing, "Combining strategies". */
function contextEdits(body: JsonObject, report: Report): void {
  const late = listOf(settingOf(body, 'context_management', 'edits')).findIndex(
    (edit, index) => index > 0 && isObject(edit) && edit['type'] === 'clear_thinking_20251015',
  );
  if (late < 0) return;
  const at = `context_management.edits.${late}`;
  report({ rule: 'context-edit-order', at, text: standIn(`${at}: \`clear_thinking_20251015\` must be the first of the edits`) });
}
