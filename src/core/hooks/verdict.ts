import type { Json } from '../message/content.js';
import type { HookRun } from './hook-run.js';

/** What several hooks that ran for the same event come to. */
export interface HookVerdict {
  /** The reason of the first one that blocks. */
  readonly blocked: string | null;
  /** The reason of the first one that wants everything to stop here. */
  readonly prevented: string | null;
  /** The strictest that any of them said: deny before ask before allow. */
  readonly decision: 'allow' | 'deny' | 'ask' | null;
  readonly decisionReason: string | null;
  /** Of the last one that changed the tool call's input. */
  readonly updatedInput: { readonly [key: string]: Json } | null;
  /** Of the last one that changed the prompt. */
  readonly updatedPrompt: string | null;
  /** What the model is to be told besides, one for each hook that said something. */
  readonly contexts: readonly string[];
  /** What the reader is to be told, one for each hook that said something. */
  readonly notices: readonly string[];
}

const STRICTNESS = ['allow', 'ask', 'deny'] as const;

export function verdictOf(runs: readonly HookRun[]): HookVerdict {
  const said = runs.filter((run) => run.decision !== undefined);
  const strictest = said.reduce<HookRun | null>((found, run) => (found && rank(found) >= rank(run) ? found : run), null);
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
