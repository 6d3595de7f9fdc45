/** Whose pin it is. */
export interface PinOf {
  readonly tenantId: string;
  readonly userId: string;
}

/** The sessions that users keep on top of their lists. */
export abstract class Pins {
  /** Repeated, it changes nothing. False: the user has `most` others. */
  abstract pin(of: PinOf, sessionId: string, most: number): Promise<boolean>;
  /** Repeated, it changes nothing. False: it was not pinned. */
  abstract unpin(of: PinOf, sessionId: string): Promise<boolean>;
}
