import type { Message } from '../protocol/message/message.js';
import type { NormalizationCache } from './normalization-cache.js';
import { PassFailure, type Pass, type PassContext } from './pass.js';
import { PASSES } from './passes/index.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import type { PayloadMessage } from './payload.js';
import { Tracer } from './trace.js';
import { lift, payloadMessage, type Working } from './working-message.js';

export interface Normalized {
  readonly messages: readonly PayloadMessage[];
  /** The same messages with the stored blocks that each block comes from. */
  readonly working: Working;
  readonly trace: readonly TraceEntry[];
}

/**
 * Applies the passes to a conversation. The messages do not depend on `withTrace` or `cache`; without `withTrace` the trace is empty, and only then is the
 * cache used. Throws PassFailure when a pass throws.
 */
export function normalize(messages: readonly Message[], context: PassContext, withTrace = true, cache?: NormalizationCache): Normalized {
  if (cache && !withTrace) {
    const working = withCache(messages, context, cache);
    return { messages: cache.payload(working), working, trace: [] };
  }
  let working = lift(messages);
  const tracer = withTrace ? new Tracer(working) : null;
  for (const pass of PASSES) {
    if (pass.gate && !context.gates[pass.gate]) continue;
    const after = applied(pass, working, context);
    tracer?.compare(pass, working, after);
    working = after;
  }
  return { messages: working.map(payloadMessage), working, trace: tracer?.finish(working) ?? [] };
}

/** Consecutive passes that transform single messages form a group; the cache keeps the result of each group by message. */
function withCache(messages: readonly Message[], context: PassContext, cache: NormalizationCache): Working {
  let working = cache.lift(messages);
  let group: Pass[] = [];
  let groups = 0;
  const flush = (): void => {
    if (group.length > 0) working = cache.transform(working, group, groups, context);
    groups += 1;
    group = [];
  };
  for (const pass of PASSES) {
    if (pass.gate && !context.gates[pass.gate]) continue;
    if (pass.transform) group.push(pass);
    else {
      flush();
      working = applied(pass, working, context);
    }
  }
  flush();
  return working;
}

/** Throws PassFailure when the pass throws. */
export function applied(pass: Pass, working: Working, context: PassContext): Working {
  try {
    return pass.apply(working, context);
  } catch (error) {
    throw new PassFailure(pass.name, error);
  }
}
