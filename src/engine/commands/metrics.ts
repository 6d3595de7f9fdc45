import { Logger } from '@nestjs/common';
import { keywordsIn } from '../../session/prompt/keywords.js';
import { textOf } from '../../../packages/protocol/message/content.js';
import type { Telemetry, TurnClaim } from '../../ports/index.js';
import type { Checkpoints, EventData, SessionEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../../session/state/state.js';

/** How the turn that appended came to its worker; `none`: no worker appended. */
type Dispatch = NonNullable<TurnClaim['dispatch']> | 'none';

/** Updates the metrics for events that were just appended. `state` includes the events. */
export function countEvents(telemetry: Telemetry, state: SessionState, events: readonly SessionEvent[], dispatch: Dispatch): void {
  for (const event of events) {
    switch (event.type) {
      case 'turn.started': {
        const prompt = state.prompts.get(event.data.promptId);
        if (prompt) telemetry.observe('prompt_wait_seconds', {}, secondsBetween(prompt.submittedAt, event.time));
        break;
      }
      case 'turn.prepared':
        countStages(telemetry, event.data.checkpoints);
        break;
      case 'turn.completed':
      case 'turn.interrupted':
      case 'turn.failed': {
        const turn = state.turns.get(event.data.turnId);
        const outcome = turn?.status ?? event.type.slice('turn.'.length);
        telemetry.count('turns', { outcome, dispatch });
        if (turn) telemetry.observe('turn_seconds', { outcome }, secondsBetween(turn.startedAt, event.time));
        break;
      }
      case 'request.completed':
      case 'request.failed': {
        const outcome = event.type.slice('request.'.length);
        telemetry.count('model_requests', { outcome });
        telemetry.observe('model_request_seconds', { outcome }, event.data.durationMs / 1000);
        if (event.type === 'request.completed') {
          telemetry.count('model_tokens', { kind: 'input' }, event.data.usage.input_tokens ?? 0);
          telemetry.count('model_tokens', { kind: 'output' }, event.data.usage.output_tokens ?? 0);
        }
        break;
      }
      case 'prompt.submitted':
        countKeywords(telemetry, event.data);
        break;
      case 'session.compacted':
        telemetry.count('compactions', { trigger: event.data.trigger });
        break;
      case 'hook.completed': {
        const { event: hookEvent, outcome, durationMs } = event.data;
        telemetry.count('hook_runs', { event: hookEvent, outcome });
        telemetry.observe('hook_seconds', { event: hookEvent, outcome }, durationMs / 1000);
        break;
      }
      default:
        break;
    }
  }
}

/** Observes each stage from its `_start` checkpoint to its `_end` checkpoint; the metric omits the common prefix `query_`. */
function countStages(telemetry: Telemetry, checkpoints: Checkpoints): void {
  const started = new Map<string, number>();
  for (const { label, at } of checkpoints) {
    const [, stage, side] = /^query_(.+)_(start|end)$/.exec(label) ?? [];
    if (stage === undefined) continue;
    const since = started.get(stage);
    if (side === 'start') started.set(stage, at);
    else if (since !== undefined) telemetry.observe('prompt_stage_seconds', { stage }, (at - since) / 1000);
  }
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

const log = new Logger('Prompt');

/** Counts keywords in the typed text, without pasted content. */
function countKeywords(telemetry: Telemetry, { submission, disposition }: EventData['prompt.submitted']): void {
  if (submission.mode !== 'prompt' || disposition === 'answered') return;
  const { negative, keepGoing } = keywordsIn(textOf(submission.original));
  if (negative) telemetry.count('prompt_keywords', { kind: 'negative' });
  if (keepGoing) telemetry.count('prompt_keywords', { kind: 'keep_going' });
  if (negative || keepGoing) log.log({ msg: 'the prompt contains watched keywords', promptId: submission.promptId, negative, keepGoing });
}
