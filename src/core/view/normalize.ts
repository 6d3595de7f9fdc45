import type { Message } from '../message/message.js';
import type { PassContext } from './pass.js';
import { PASSES } from './passes/index.js';
import type { PayloadMessage, TraceEntry } from './payload.js';
import { Tracer } from './trace.js';
import { lift, payloadMessage } from './working.js';

export interface Normalized {
  readonly messages: readonly PayloadMessage[];
  readonly trace: readonly TraceEntry[];
}

/** Runs the pipeline over a transcript. The messages are the same with and without the trace, which is empty when not asked for. */
export function normalize(messages: readonly Message[], context: PassContext, withTrace = true): Normalized {
  let working = lift(messages);
  const tracer = withTrace ? new Tracer(working) : null;
  for (const pass of PASSES) {
    if (pass.gate && !context.gates[pass.gate]) continue;
    const after = pass.run(working, context);
    tracer?.compare(pass, working, after);
    working = after;
  }
  return {
    messages: working.map(payloadMessage),
    trace: tracer?.finish(working) ?? [],
  };
}
