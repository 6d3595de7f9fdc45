/** Named switches of a prompt's way in. They feed the transcript, so nothing has to be written down with a request. */
export const INTAKE_GATES = ['ultraplan', 'auto-memory', 'memory-correction'] as const;

export type IntakeGate = (typeof INTAKE_GATES)[number];
export type IntakeGates = Readonly<Record<IntakeGate, boolean>>;

/** Off unless said. */
export const DEFAULT_INTAKE_GATES: IntakeGates = { ultraplan: false, 'auto-memory': false, 'memory-correction': false };
