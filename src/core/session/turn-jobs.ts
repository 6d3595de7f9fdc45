import type { Turn } from './state.js';

/** Id of the job for a segment of a turn. */
export function turnJob(turnId: string, segment: number): string {
  return segment === 0 ? turnId : `${turnId}.${segment}`;
}

/**
 * Whether a job belongs to an earlier segment and was redelivered after a crash. The turn already has another worker, and two workers on one turn would treat each
 * other's calls and requests as lost. A job with any other id was created for an orphaned turn, and is not stale.
 */
export function isStaleJob({ turnId, segment }: Pick<Turn, 'turnId' | 'segment'>, jobId: string): boolean {
  if (jobId === turnId) return segment > 0;
  const [, seq] = jobId.startsWith(`${turnId}.`) ? (/\.(\d+)$/.exec(jobId) ?? []) : [];
  return seq !== undefined && Number(seq) < segment;
}
