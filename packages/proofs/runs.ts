import { TILE_WIDTH } from './tiles.js';

interface Place {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly seq: number;
}

/** Consecutive events of one session, which become consecutive leaves. */
export interface Run {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly firstSeq: number;
  readonly hashes: readonly Uint8Array[];
}

/** Leaves from `index` on as runs. A run ends where a tile does, so that the leaves of a tile are whole runs. */
export function runsFrom(index: number, leaves: readonly Place[], hashes: readonly Uint8Array[]): readonly Run[] {
  const runs: (Run & { readonly hashes: Uint8Array[] })[] = [];
  for (const [offset, { tenantId, sessionId, seq }] of leaves.entries()) {
    const last = runs.at(-1);
    const continues =
      last !== undefined &&
      last.sessionId === sessionId &&
      last.tenantId === tenantId &&
      last.firstSeq + last.hashes.length === seq &&
      (index + offset) % TILE_WIDTH !== 0;
    if (continues) last.hashes.push(hashes[offset]!);
    else runs.push({ tenantId, sessionId, firstSeq: seq, hashes: [hashes[offset]!] });
  }
  return runs;
}
