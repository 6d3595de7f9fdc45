import type { Turn } from './state.js';

/** Name of the job for a segment of a turn: from its start, or since it went on at that seq after waiting. */
export function turnJob(turnId: string, segment: number): string {
  return segment === 0 ? turnId : `${turnId}.${segment}`;
}

/**
 * Whether a job is of an earlier segment, delivered again after a crash. The turn has another worker by now, and two on one turn take each other's calls and
 * requests for lost. A job under any other name was made for a turn that had none.
 */
export function isStaleJob({ turnId, segment }: Pick<Turn, 'turnId' | 'segment'>, jobId: string): boolean {
  if (jobId === turnId) return segment > 0;
  const [, seq] = jobId.startsWith(`${turnId}.`) ? (/\.(\d+)$/.exec(jobId) ?? []) : [];
  return seq !== undefined && Number(seq) < segment;
}
