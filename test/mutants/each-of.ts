/** Does `work` with each of `items`, `workers` of them at a time. */
export async function eachOf<T>(items: readonly T[], workers: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
