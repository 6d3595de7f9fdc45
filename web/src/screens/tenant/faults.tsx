import { ProblemError } from '@verbatim/client';
import { ErrorNote } from '../../ui/parts.tsx';

/** Faults that the server has named. */
export interface Faults {
  /** By the field of a form to which they belong. */
  readonly at: ReadonlyMap<string, string>;
  /** There are others, which belong to no field. */
  readonly hasOthers: boolean;
  /** They were found by a test: nothing was to be saved. */
  readonly isOfTest?: true;
}

export const NO_FAULTS: Faults = { at: new Map(), hasOthers: false };

/** `fields`: the field of each JSON pointer that the form has sent. */
export function faultsIn(error: unknown, fields: ReadonlyMap<string, string>): Faults {
  if (!(error instanceof ProblemError)) return NO_FAULTS;
  const at = new Map<string, string>();
  for (const { pointer, detail } of error.errors) {
    const field = fields.get(pointer);
    if (field !== undefined) at.set(field, at.has(field) ? `${at.get(field)}; ${detail}` : detail);
  }
  return { at, hasOthers: error.errors.some(({ pointer }) => !fields.has(pointer)) };
}

/** The attributes of a field with a fault, or without one. */
export const describedBy = (field: string, faults: Faults) => (faults.at.has(field) ? { 'aria-invalid': true, 'aria-describedby': `${field}-fault` } : {});

/** What is wrong with a field, at the field. */
export function Fault({ field, faults }: { readonly field: string; readonly faults: Faults }) {
  const text = faults.at.get(field);
  return text === undefined ? null : (
    <p id={`${field}-fault`} className="fault">
      {/^[a-z]/.test(text) ? `This ${text}.` : `${text}.`}
    </p>
  );
}

/** The error of a form: what stands at its fields is not said twice. */
export function FormError({ error, faults }: { readonly error: unknown; readonly faults: Faults }) {
  if (faults.at.size === 0 || faults.hasOthers) return <ErrorNote error={error} />;
  return (
    <p className="note bad" role="alert">
      {faults.isOfTest ? 'It was not tried.' : 'Nothing was saved.'} What is wrong stands at each field.
    </p>
  );
}
