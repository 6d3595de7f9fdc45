/** Pages that are read at most. */
const MOST_PAGES = 60;

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** All items of a list that comes in pages. */
export async function allPages<T>(read: (cursor: { readonly cursor?: number }) => Promise<Page<T>>, from = 0): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: number | null = from;
  for (let page = 0; cursor !== null && page < MOST_PAGES; page += 1) {
    const { data, nextCursor }: Page<T> = await read(cursor === 0 ? {} : { cursor });
    all.push(...data);
    cursor = nextCursor === null ? null : Number(nextCursor);
  }
  return all;
}
