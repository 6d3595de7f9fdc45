/** Id of the job for a segment of a turn: from its start (0), or from the event `segment` that resumed it. */
export function turnJob(turnId: string, segment: number): string {
  return segment === 0 ? turnId : `${turnId}.${segment}`;
}
