import type { Json } from '../message/content.js';
import type { HookRun } from './hook-run.js';

/** Combined result of all hooks that ran for one event. */
export interface HookVerdict {
  /** Reason of the first hook that blocks. */
  readonly blocked: string | null;
  /** Reason of the first hook that stops the turn (`continue: false`). */
  readonly prevented: string | null;
  /** The strictest decision: deny before ask before allow. */
  readonly decision: 'allow' | 'deny' | 'ask' | null;
  readonly decisionReason: string | null;
  /** From the last hook that replaced the tool call's input. */
  readonly updatedInput: { readonly [key: string]: Json } | null;
  /** From the last hook that replaced the prompt. */
  readonly updatedPrompt: string | null;
  /** Added context for the model, one entry per hook. */
  readonly contexts: readonly string[];
  /** Messages for readers, one entry per hook. */
  readonly notices: readonly string[];
}

const STRICTNESS = ['allow', 'ask', 'deny'] as const;

export function verdictOf(runs: readonly HookRun[]): HookVerdict {
  const deciding = runs.filter((run) => run.decision !== undefined);
  const strictest = deciding.reduce<HookRun | null>((found, run) => (found && rank(found) >= rank(run) ? found : run), null);
  return {
    blocked: reasonOf(runs, 'blocked'),
    prevented: reasonOf(runs, 'prevented'),
    decision: strictest?.decision ?? null,
    decisionReason: strictest?.reason ?? null,
    updatedInput: runs.findLast((run) => run.updatedInput !== undefined)?.updatedInput ?? null,
    updatedPrompt: runs.findLast((run) => run.updatedPrompt !== undefined)?.updatedPrompt ?? null,
    contexts: runs.flatMap((run) => (run.additionalContext === undefined ? [] : [run.additionalContext])),
    notices: runs.flatMap((run) => (run.systemMessage === undefined ? [] : [run.systemMessage])),
  };
}

const rank = ({ decision }: HookRun): number => (decision === undefined ? -1 : STRICTNESS.indexOf(decision));

function reasonOf(runs: readonly HookRun[], outcome: HookRun['outcome']): string | null {
  const found = runs.find((run) => run.outcome === outcome);
  return found ? (found.reason ?? 'The hook gave no reason.') : null;
}
