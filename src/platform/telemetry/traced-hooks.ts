import type { Hooks, Telemetry } from '../../ports/index.js';
import { delegate } from './delegate.js';

/** A span per hook event; passes the current workload to the hooks. */
export function tracedHooks(inner: Hooks, telemetry: Telemetry): Hooks {
  return delegate(inner, {
    run: (call, signal) => {
      const { workload } = telemetry.fields();
      const { event, subject } = call;
      return telemetry.span(`hooks ${event}`, { 'hook.event': event, ...(subject === undefined ? {} : { 'hook.subject': subject }) }, async (span) => {
        const runs = await inner.run({ ...(workload === undefined ? {} : { workload }), ...call }, signal);
        span.set({ 'hook.outcomes': runs.map(({ outcome }) => outcome) });
        return runs;
      });
    },
  });
}
