/** The results in the order of the items, of which at most `limit` are worked on at a time. After a rejection no further one is begun. */
export async function mapLimited<Item, Result>(items: readonly Item[], limit: number, work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of rest) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
