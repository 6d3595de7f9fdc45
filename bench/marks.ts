/** What each figure should be, on a quiet machine with two cores. docs/performance.md says of each that is missed why. */
export const MARKS = {
  statements: 4,
  commitsAtOnce: 1.5,
  logKB: 10,
  storedKB: 6,
  databaseInserts: 25,
  /** CPU of the server, in bare INSERTs of a client. */
  serverInsertsAlone: 45,
  serverInsertsAtOnce: 28,
  /** Transactions in ten seconds. */
  idle: 8,
  idleOfMany: 16,
  readsOfWaiting: 1,
  turnsPerSecondAt200: 128,
  /** Times a turn in an empty session, by the messages before it. */
  nextTurn: { 2_000: 1.4, 20_000: 1.8 } as Readonly<Record<number, number>>,
  turn300: 1.15,
  wholePayload: 2.0,
  deliveredPiece: 1.25,
  continuedMs: 4_000,
  startsOfOneTenant: 0.8,
  doorMs50KB: 3,
  doorMs1MB: 10,
  doorRate: 0.5,
  doorLogKB: 140,
  filesUnchangedStepMs: 10,
  filesChangedStepMs: 15,
  filesMadeMs: 1_000,
};

export const marked = (mark: number): string => `mark ${mark}`;
