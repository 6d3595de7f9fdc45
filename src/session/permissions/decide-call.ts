import type { HookVerdict } from '../../../packages/protocol/hooks/verdict.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { covering, touching } from './matching.js';
import type { RuleBook, SourcedRule } from '../../../packages/protocol/permissions/rule.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import type { DecidedBy } from '../../../packages/protocol/permissions/decided-by.js';

export interface CallInQuestion {
  readonly tool: Pick<ToolDefinition, 'name' | 'effect'>;
  /** The input with which it would run. */
  readonly input: Json;
  readonly mode: PermissionMode;
  readonly rules: RuleBook;
}

/** `reason`: for the model when the call is denied, for the person who must decide when it is `ask`. */
export interface CallVerdict {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly by: DecidedBy;
  readonly reason: string;
}

/** Denial by a deny rule, which no mode, hook or person can override; null when none matches. Hooks do not run for such calls. */
export function forbidden({
  tool,
  input,
  rules,
}: Pick<CallInQuestion, 'input' | 'rules'> & { readonly tool: Pick<ToolDefinition, 'name'> }): CallVerdict | null {
  const rule = touching(rules.deny, { name: tool.name, input });
  return rule ? { decision: 'deny', by: byRule(rule), reason: `The rule ${rule.text} forbids this call of ${tool.name}. It was not run.` } : null;
}

/**
 * Decides a call, in the order of the public permission reference: denied by a hook, denied by a rule, asked by a rule or a hook, allowed by mode, hook or rule;
 * otherwise asked. In plan mode only a person can allow a call that changes something.
 */
export function decideCall(question: CallInQuestion, hooks: { readonly runs: readonly HookRun[]; readonly verdict: HookVerdict }): CallVerdict {
  const { tool, input, mode, rules } = question;
  const { runs, verdict } = hooks;
  const denied = byHooks(runs, verdict) ?? forbidden(question);
  if (denied) return denied;
  const call = { name: tool.name, input };
  const asking = touching(rules.ask, call);
  if (asking) return { decision: 'ask', by: byRule(asking), reason: `The rule ${asking.text} asks before this call of ${tool.name}.` };
  if (verdict.decision === 'ask')
    return { decision: 'ask', by: byHook(runs, 'ask'), reason: verdict.decisionReason ?? `A hook asks before this call of ${tool.name}.` };

  const byMode: DecidedBy = { kind: 'mode', mode };
  const ask: CallVerdict = { decision: 'ask', by: byMode, reason: `Permission mode ${mode} asks before a call of ${tool.name}.` };
  if (mode === 'bypassPermissions') return { decision: 'allow', by: byMode, reason: `Permission mode ${mode} allows every call.` };
  if (tool.effect === 'read') return { decision: 'allow', by: byMode, reason: `A call of ${tool.name} changes nothing that needs a decision.` };
  if (mode === 'plan') return ask;
  if (mode === 'acceptEdits' && tool.effect === 'edit') return { decision: 'allow', by: byMode, reason: `Permission mode ${mode} allows edits.` };
  if (verdict.decision === 'allow') return { decision: 'allow', by: byHook(runs, 'allow'), reason: verdict.decisionReason ?? 'A hook allows this call.' };
  const allowed = covering(rules.allow, call);
  return allowed ? { decision: 'allow', by: byRule(allowed), reason: `The rule ${allowed.text} allows this call.` } : ask;
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
