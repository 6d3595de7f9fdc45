/** Where a line of an imported file is: the event that has it, and its number in the file. */
export interface LinePlace {
  readonly seq: number;
  readonly line: number;
}

/** A request that the program which wrote an imported file had recorded there. */
export interface ClientRequestRecord extends LinePlace {
  /** As the file has it. */
  readonly id: string;
  readonly model: string | null;
  readonly sentAt: string | null;
  readonly querySource: string | null;
  /** Only its id is left. */
  readonly erased: boolean;
}

/** Where an imported file says what was sent: its requests by id, and the lines with messages and with shapes by hash. */
export interface ClientRecords {
  /** All lines about requests, in the order of the file. */
  readonly lines: LinePlace[];
  readonly requests: Map<string, ClientRequestRecord>;
  readonly blobs: Map<string, LinePlace[]>;
  readonly shapes: Map<string, LinePlace[]>;
}
