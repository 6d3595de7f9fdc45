import type { Message } from '../message/message.js';
import type { NormalizationCache } from './normalization-cache.js';
import type { EachMessage, PassContext } from './pass.js';
import { PASSES } from './passes/index.js';
import type { PayloadMessage, TraceEntry } from './payload.js';
import { Tracer } from './trace.js';
import { lift, payloadMessage, type Working } from './working-message.js';

export interface Normalized {
  readonly messages: readonly PayloadMessage[];
  readonly trace: readonly TraceEntry[];
}

/**
 * Runs the pipeline over a transcript. The messages are the same with and without the trace, which is empty when not asked for, and with and without the
 * memory, which is of no use to the trace.
 */
export function normalize(messages: readonly Message[], context: PassContext, withTrace = true, memory?: NormalizationCache): Normalized {
  if (memory && !withTrace) return { messages: remembering(messages, context, memory).map(payloadMessage), trace: [] };
  let working = lift(messages);
  const tracer = withTrace ? new Tracer(working) : null;
  for (const pass of PASSES) {
    if (pass.gate && !context.gates[pass.gate]) continue;
    const after = pass.run(working, context);
    tracer?.compare(pass, working, after);
    working = after;
  }
  return { messages: working.map(payloadMessage), trace: tracer?.finish(working) ?? [] };
}

/** Passes in a row that look at one message at a time do their work message by message, and once for each. */
function remembering(messages: readonly Message[], context: PassContext, memory: NormalizationCache): Working {
  let working = memory.lift(messages);
  let row: EachMessage[] = [];
  let rows = 0;
  const settle = (): void => {
    if (row.length > 0) working = memory.each(working, row, rows, context);
    rows += 1;
    row = [];
  };
  for (const { gate, each, run } of PASSES) {
    if (gate && !context.gates[gate]) continue;
    if (each) row.push(each);
    else {
      settle();
      working = run(working, context);
    }
  }
  settle();
  return working;
}
