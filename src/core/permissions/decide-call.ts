import type { HookVerdict } from '../hooks/verdict.js';
import type { Json } from '../message/content.js';
import type { PermissionMode } from '../message/message.js';
import { covering, touching } from './matching.js';
import type { RuleBook, SourcedRule } from './rule.js';
import type { ToolDefinition } from '../message/tool-definition.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { DecidedBy } from './decided-by.js';

export interface CallInQuestion {
  readonly tool: Pick<ToolDefinition, 'name' | 'effect'>;
  /** As it would be run. */
  readonly input: Json;
  readonly mode: PermissionMode;
  readonly rules: RuleBook;
}

/** `reason`: for the model when it is denied, for the person when one is asked. */
export interface CallVerdict {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly by: DecidedBy;
  readonly reason: string;
}

/** What a rule forbids is not even shown to hooks; null when none does. Nothing goes past such a rule: no mode, no hook, no person. */
export function forbidden({ tool, input, rules }: Pick<CallInQuestion, 'tool' | 'input' | 'rules'>): CallVerdict | null {
  const rule = touching(rules.deny, { name: tool.name, input });
  return rule ? { decision: 'deny', by: byRule(rule), reason: `The rule ${rule.text} forbids this call of ${tool.name}. It was not run.` } : null;
}

/**
 * What becomes of a call, in the order of the public reference: what a hook forbids; what a rule forbids; what a rule or a hook wants asked; what the mode,
 * a hook, or a rule lets through; the rest is asked. In plan mode only a person lets a call through that changes something.
 */
export function decideCall(question: CallInQuestion, hooks: { readonly runs: readonly HookRun[]; readonly verdict: HookVerdict }): CallVerdict {
  const { tool, input, mode, rules } = question;
  const { runs, verdict } = hooks;
  const ruledOut = byHooks(runs, verdict) ?? forbidden(question);
  if (ruledOut) return ruledOut;
  const call = { name: tool.name, input };
  const wanted = touching(rules.ask, call);
  if (wanted) return { decision: 'ask', by: byRule(wanted), reason: `The rule ${wanted.text} wants this call of ${tool.name} to be asked about.` };
  if (verdict.decision === 'ask')
    return { decision: 'ask', by: byHook(runs, 'ask'), reason: verdict.decisionReason ?? `A hook wants this call of ${tool.name} to be asked about.` };

  const byMode: DecidedBy = { kind: 'mode', mode };
  const ask: CallVerdict = { decision: 'ask', by: byMode, reason: `In mode ${mode} a call of ${tool.name} needs somebody's consent.` };
  if (mode === 'bypassPermissions') return { decision: 'allow', by: byMode, reason: `Mode ${mode} lets every call through.` };
  if (tool.effect === 'read') return { decision: 'allow', by: byMode, reason: `${tool.name} changes nothing.` };
  if (mode === 'plan') return ask;
  if (mode === 'acceptEdits' && tool.effect === 'edit') return { decision: 'allow', by: byMode, reason: `Mode ${mode} lets edits through.` };
  if (verdict.decision === 'allow') return { decision: 'allow', by: byHook(runs, 'allow'), reason: verdict.decisionReason ?? 'A hook lets this call through.' };
  const allowed = covering(rules.allow, call);
  return allowed ? { decision: 'allow', by: byRule(allowed), reason: `The rule ${allowed.text} lets this call through.` } : ask;
}

function byHooks(runs: readonly HookRun[], { blocked, prevented, decision, decisionReason }: HookVerdict): CallVerdict | null {
  const run = runs.find(({ outcome }) => outcome === 'blocked' || outcome === 'prevented') ?? runs.find((candidate) => candidate.decision === 'deny');
  if (!run || (blocked === null && prevented === null && decision !== 'deny')) return null;
  const reason = blocked ?? prevented ?? decisionReason ?? 'A hook forbids this call. It was not run.';
  return { decision: 'deny', by: { kind: 'hook', hookRunId: run.hookRunId }, reason };
}

function byHook(runs: readonly HookRun[], decision: HookRun['decision']): DecidedBy {
  return { kind: 'hook', hookRunId: runs.find((run) => run.decision === decision)?.hookRunId ?? '' };
}

const byRule = ({ text, source }: SourcedRule): DecidedBy => ({ kind: 'rule', rule: text, source });
