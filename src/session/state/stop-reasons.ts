/** Whether the turn continues with another request after this stop reason. */
export const continuesAfter = (stopReason: string | null): boolean => stopReason === 'tool_use' || stopReason === 'pause_turn';

/** Whether the model ended its answer by itself, so that Stop hooks may continue it. */
export const isNaturalStop = (stopReason: string | null): boolean => stopReason === 'end_turn' || stopReason === 'stop_sequence';

/** The model declined to answer. */
export const REFUSAL = 'refusal';
