import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react';

export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Loads when `on` changes. While it loads again the data of the last time are kept, unless `on` changed. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, on: DependencyList): Loaded<T> {
  const [state, setState] = useState<{ readonly on: DependencyList; readonly data: T | null; readonly error: unknown } | null>(null);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const complete = (data: T | null, error: unknown): void => {
      if (!controller.signal.aborted) setState({ on, data, error });
    };
    latest.current(controller.signal).then(
      (data) => complete(data, null),
      (error: unknown) => complete(null, error),
    );
    return () => controller.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [...on, round]);
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
