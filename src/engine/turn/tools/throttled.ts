/** Emits at most one value per `intervalMs`: the first at once, then the latest of each interval. */
export function throttled<T>(intervalMs: number, emit: (value: T) => void): { readonly update: (value: T) => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let latest: { readonly value: T } | null = null;
  let ended = false;
  const due = (): void => {
    timer = null;
    if (!latest) return;
    const { value } = latest;
    latest = null;
    timer = setTimeout(due, intervalMs);
    emit(value);
  };
  return {
    update: (value) => {
      if (ended) return;
      latest = { value };
      if (!timer) due();
    },
    /** Discards a value that is still pending. */
    end: () => {
      ended = true;
      if (timer) clearTimeout(timer);
    },
  };
}
