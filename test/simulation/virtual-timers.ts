import type { Scheduler } from './scheduler.js';

const NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const;

/** Replaces the timers and the monotonic clock that the code under test uses by virtual ones; an immediate is a timer of 0 ms. Returns what restores them. */
export function useVirtualTimers(scheduler: Scheduler): () => void {
  const scope = globalThis as unknown as Record<string, unknown>;
  const real = NAMES.map((name) => [name, scope[name]] as const);
  const realNow = performance.now.bind(performance);
  const start = scheduler.now;
  const handles = new WeakMap<object, () => void>();
  const handle = (cancel: () => void): object => {
    const timer = { ref: () => timer, unref: () => timer, hasRef: () => true, [Symbol.toPrimitive]: () => 0 };
    handles.set(timer, cancel);
    return timer;
  };
  const clear = (timer: unknown): void => {
    if (typeof timer === 'object' && timer !== null) handles.get(timer)?.();
  };
  scope['setTimeout'] = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => handle(scheduler.after(ms, () => run(...args)));
  scope['setImmediate'] = (run: (...args: unknown[]) => void, ...args: unknown[]) => handle(scheduler.after(0, () => run(...args)));
  scope['setInterval'] = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    let cancel: () => void = () => undefined;
    let cleared = false;
    const next = (): void => {
      cancel = scheduler.after(Math.max(1, ms), () => {
        if (!cleared) next();
        run(...args);
      });
    };
    next();
    return handle(() => {
      cleared = true;
      cancel();
    });
  };
  scope['clearTimeout'] = clear;
  scope['clearInterval'] = clear;
  scope['clearImmediate'] = clear;
  performance.now = () => scheduler.now - start;
  return () => {
    for (const [name, value] of real) scope[name] = value;
    performance.now = realNow;
  };
}
