import {
  type ChangedOption,
  EFFORTS,
  type Effort,
  type Fallback,
  type ModelOptions,
  type ServerTool,
  type ThinkingOptions,
  type ToolChoice,
} from '../../protocol/message/model-options.js';
import type { Profile, ThinkingMode } from './profiles.js';

/** The members of a request that options become. */
export interface OptionMembers {
  readonly thinking?: ThinkingOptions & { readonly type: ThinkingMode };
  readonly output_config?: { readonly effort: Effort };
  readonly tool_choice?: ToolChoice;
  readonly stop_sequences?: readonly string[];
  readonly fallbacks?: 'default' | readonly Fallback[];
}

export interface FittedOptions {
  readonly members: OptionMembers;
  readonly serverTools: readonly ServerTool[];
  readonly changed: readonly ChangedOption[];
}

interface Circumstances {
  readonly profile: Profile;
  readonly maxTokens: number;
  /** Names of the other tools of the request. */
  readonly tools: ReadonlySet<string>;
}

export const NO_OPTIONS: FittedOptions = { members: {}, serverTools: [], changed: [] };

type Report = (option: string, reason: string) => void;

/**
 * The options as the model accepts them, so that no setting can make every request of a session fail when its model changes. A model that thinks by itself and
 * returns its thinking empty is asked for a summary of it, unless the options say otherwise.
 */
export function fitOptions(options: ModelOptions, at: Circumstances): FittedOptions {
  const changed: ChangedOption[] = [];
  const report: Report = (option, reason) => void changed.push({ option, reason });
  const serverTools = fitServerTools(options, at, report);
  const effort = fitEffort(options.effort, at, report);
  const thinking = fitThinking(options.thinking ?? {}, at, report);
  const isOff = thinking?.type === 'disabled' || thinking?.type === 'between_tools';
  const isTop = effort === 'xhigh' || effort === 'max';
  const lowered = isOff && isTop && !at.profile.thinkingOffAtTopEffort ? 'high' : effort;
  if (lowered !== effort) report('effort', 'is lowered to high: above it this model always thinks');
  const names = new Set([...at.tools, ...serverTools.map(({ name }) => name)]);
  const choice = fitChoice(options.tool_choice, names, thinking?.type === 'enabled', at, report);
  const fallbacks = fitFallbacks(options.fallbacks, at, report);
  const { stop_sequences = [] } = options;
  const members = {
    ...(thinking === undefined ? {} : { thinking }),
    ...(lowered === undefined ? {} : { output_config: { effort: lowered } }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(stop_sequences.length === 0 ? {} : { stop_sequences }),
    ...(fallbacks === undefined ? {} : { fallbacks }),
  };
  return { members, serverTools, changed };
}

/** The highest level that the model has and that is not above the wanted one (docs: Effort). */
function fitEffort(wanted: Effort | undefined, { profile: { effortLevels } }: Circumstances, report: Report): Effort | undefined {
  if (wanted === undefined || effortLevels.includes(wanted)) return wanted;
  const found = effortLevels.findLast((level) => EFFORTS.indexOf(level) < EFFORTS.indexOf(wanted));
  report('effort', found === undefined ? 'is left out: this model has no effort' : `is lowered to ${found}: this model has no ${wanted}`);
  return found;
}

/** What comes nearest to a mode that a model does not have (docs: Thinking, "Configuring thinking"). */
const NEAREST: Readonly<Record<ThinkingMode, ThinkingMode>> = {
  enabled: 'adaptive',
  adaptive: 'enabled',
  disabled: 'between_tools',
  between_tools: 'disabled',
};

/** Smallest `budget_tokens` (docs: Messages API). */
const LEAST_BUDGET = 1_024;

function fitThinking(wanted: ThinkingOptions, at: Circumstances, report: Report): OptionMembers['thinking'] {
  const { thinkingModes, thinksByDefault, omitsThinking, family } = at.profile;
  const fits = (mode: ThinkingMode): boolean => thinkingModes.includes(mode) && (mode !== 'enabled' || at.maxTokens > LEAST_BUDGET);
  let type = wanted.type === undefined ? undefined : [wanted.type, NEAREST[wanted.type]].find(fits);
  if (type !== wanted.type) {
    report('thinking.type', type === undefined ? `is left out: this model has no ${wanted.type}` : `is ${type}: this model has no ${wanted.type}`);
  }
  // Without a mode such a model thinks, too: to name the mode changes only what is shown of it. Of an unknown model that is not known.
  if (type === undefined && thinksByDefault && (family !== 'unknown' || wanted.display !== undefined)) type = 'adaptive';
  if (type !== 'enabled' && type !== 'adaptive') {
    if (wanted.display !== undefined) report('thinking.display', 'is left out: the request does not think');
    return type === undefined ? undefined : { type };
  }
  const display = wanted.display ?? (omitsThinking ? 'summarized' : undefined);
  const shown = display === undefined ? {} : { display };
  if (type === 'adaptive') return { type, ...shown };
  const most = at.maxTokens - 1;
  const budget = Math.max(LEAST_BUDGET, Math.min(wanted.budget_tokens ?? Math.floor(at.maxTokens / 2), most));
  if (wanted.budget_tokens !== undefined && budget !== wanted.budget_tokens) report('thinking.budget_tokens', `is ${budget}: it must be below max_tokens`);
  return { type, budget_tokens: budget, ...shown };
}

function fitChoice(wanted: ToolChoice | undefined, tools: ReadonlySet<string>, isManual: boolean, at: Circumstances, report: Report): ToolChoice | undefined {
  if (wanted === undefined) return undefined;
  const { forcedToolChoice } = at.profile;
  const isForced = wanted.type === 'any' || wanted.type === 'tool';
  const fault =
    tools.size === 0
      ? 'the request has no tools'
      : wanted.type === 'tool' && !tools.has(wanted.name ?? '')
        ? 'the request has no tool of that name'
        : isForced && forcedToolChoice === 'rejected'
          ? 'this model cannot be forced to call a tool'
          : isForced && isManual
            ? 'a tool cannot be forced together with thinking of the type enabled'
            : null;
  if (fault === null) return wanted;
  report('tool_choice', `is left out: ${fault}`);
  return undefined;
}

function fitServerTools({ server_tools: wanted = [] }: ModelOptions, { profile, tools }: Circumstances, report: Report): readonly ServerTool[] {
  const taken = new Set(tools);
  return wanted.filter(({ name }, index) => {
    const fault = !profile.serverTools ? 'this provider runs no tools' : taken.has(name) ? 'another tool has its name' : null;
    if (fault !== null) report(`server_tools.${index}`, `is left out: ${fault}`);
    taken.add(name);
    return fault === null;
  });
}

function fitFallbacks(wanted: ModelOptions['fallbacks'], { profile }: Circumstances, report: Report): ModelOptions['fallbacks'] {
  if (wanted === undefined || wanted.length === 0) return undefined;
  if (profile.provider === 'anthropic') return wanted;
  report('fallbacks', 'is left out: this provider has none');
  return undefined;
}
