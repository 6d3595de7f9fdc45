/** Hands on at most one value in `everyMs`; of those in between, the last one. */
export function throttled<T>(everyMs: number, hand: (value: T) => void): { readonly tell: (value: T) => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let latest: { readonly value: T } | null = null;
  let ended = false;
  const due = (): void => {
    timer = null;
    if (!latest) return;
    const { value } = latest;
    latest = null;
    timer = setTimeout(due, everyMs);
    hand(value);
  };
  return {
    tell: (value) => {
      if (ended) return;
      latest = { value };
      if (!timer) due();
    },
    /** What was not handed on by now never is. */
    end: () => {
      ended = true;
      if (timer) clearTimeout(timer);
    },
  };
}
