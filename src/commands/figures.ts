import type { Telemetry } from '../core/ports.js';
import type { SessionEvent } from '../core/session/events.js';
import type { SessionState } from '../core/session/state.js';

/** Counts what has just been appended. `state` has seen the events. */
export function countEvents(telemetry: Telemetry, state: SessionState, events: readonly SessionEvent[]): void {
  for (const event of events) {
    switch (event.type) {
      case 'turn.completed':
      case 'turn.interrupted':
      case 'turn.failed': {
        const outcome = event.type.slice('turn.'.length);
        const turn = state.turns.get(event.data.turnId);
        telemetry.count('turns', { outcome });
        if (turn) telemetry.observe('turn_seconds', { outcome }, (Date.parse(event.time) - Date.parse(turn.startedAt)) / 1000);
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
      case 'hook.completed':
        telemetry.count('hook_runs', { event: event.data.event, outcome: event.data.outcome });
        break;
      default:
        break;
    }
  }
}
