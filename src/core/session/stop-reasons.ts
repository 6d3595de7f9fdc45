/** Whether the model is asked again after an answer that ended like this. */
export const goesOn = (stopReason: string | null): boolean => stopReason === 'tool_use' || stopReason === 'pause_turn';

/** Whether the model stopped of its own accord, so that a Stop hook may have it go on. */
export const isOwnStop = (stopReason: string | null): boolean => stopReason === 'end_turn' || stopReason === 'stop_sequence';
