import type { Clock, Telemetry } from '../../../ports/index.js';
import type { Checkpoints } from '../../../../packages/protocol/events/events.js';

/** Public labels of the stages of prompt preparation. */
export type CheckpointLabel =
  | 'query_process_user_input_start'
  | 'query_process_user_input_base_start'
  | 'query_image_processing_start'
  | 'query_image_processing_end'
  | 'query_pasted_image_processing_start'
  | 'query_pasted_image_processing_end'
  | 'query_attachment_loading_start'
  | 'query_attachment_loading_end'
  | 'query_hooks_start'
  | 'query_hooks_end'
  | 'query_process_user_input_base_end'
  | 'query_file_history_snapshot_start'
  | 'query_file_history_snapshot_end'
  | 'query_process_user_input_end';

/** Wall-clock checkpoints in order; each is also an event of the active span. */
export class CheckpointRecorder {
  readonly #checkpoints: { label: CheckpointLabel; at: number }[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  mark(label: CheckpointLabel): void {
    const at = this.clock.now();
    this.#checkpoints.push({ label, at });
    this.telemetry.event(label, at);
  }

  all(): Checkpoints {
    return [...this.#checkpoints];
  }
}
