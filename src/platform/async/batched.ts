/** Parts of a list, in order, each of which weighs at most `most`, or is one item. */
export function* batched<T>(items: readonly T[], weight: (item: T) => number, most: number): Generator<readonly T[]> {
  let batch: T[] = [];
  let weighs = 0;
  for (const item of items) {
    if (batch.length > 0 && weighs + weight(item) > most) {
      yield batch;
      [batch, weighs] = [[], 0];
    }
    batch.push(item);
    weighs += weight(item);
  }
  if (batch.length > 0) yield batch;
}
