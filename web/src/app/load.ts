import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react';

export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads when `on` changes. While it loads again the data of the last time are kept, unless `on` changed. Another `version` of the same loads again as well, when
 * the load before has ended: what grows all the time would never be shown if each step of it ended the load that is under way.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, on: DependencyList, version?: number): Loaded<T> {
  const [state, setState] = useState<{ readonly on: DependencyList; readonly data: T | null; readonly error: unknown } | null>(null);
  const [round, setRound] = useState(0);
  const latest = useRef({ load, version });
  latest.current = { load, version };
  const next = useRef<() => void>(() => {});
  useEffect(() => {
    const controller = new AbortController();
    let isBusy = false;
    let loaded: { readonly version: number | undefined } | null = null;
    const complete = (data: T | null, error: unknown): void => {
      isBusy = false;
      if (controller.signal.aborted) return;
      setState({ on, data, error });
      next.current();
    };
    next.current = () => {
      const { load: run, version: wanted } = latest.current;
      if (isBusy || (loaded !== null && loaded.version === wanted)) return;
      isBusy = true;
      loaded = { version: wanted };
      run(controller.signal).then(
        (data) => complete(data, null),
        (error: unknown) => complete(null, error),
      );
    };
    next.current();
    return () => controller.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [...on, round]);
  useEffect(() => next.current(), [version]);
  const reload = useCallback(() => setRound((one) => one + 1), []);
  const isCurrent = state !== null && state.on.length === on.length && state.on.every((one, index) => Object.is(one, on[index]));
  return { data: isCurrent ? state.data : null, error: isCurrent ? state.error : null, isLoading: !isCurrent, reload };
}

export interface Action {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: (task: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

/** Runs one thing at a time that a person asked for, and keeps its error. `run` resolves to whether it succeeded. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = useCallback(async (task: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(null);
    try {
      await task();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(null), []);
  return { isBusy, error, run, clear };
}
