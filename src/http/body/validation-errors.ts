import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { z } from 'zod';
import { type FieldError, DomainError } from '../../../packages/protocol/errors.js';
import { type Lengths, withLengths } from '../schemas/lengths.js';
import { pointerSegment } from '../../../packages/protocol/message/json-pointer.js';

/** How many faults of one request are reported; validation of a list stops there too (schemas/bounded.ts). */
export const MAX_FAULTS = 50;

/** Rejects a body that does not match the schema. */
export async function requireShape(body: unknown, schema: StandardSchemaV1, lengths: Lengths): Promise<void> {
  const { issues } = await withLengths(lengths, () => schema['~standard'].validate(body));
  if (issues) throw new DomainError('invalid_input', 'The body does not match its schema; the entries of `errors` name each fault.', faultsOf(issues));
}

/** One entry per fault: its JSON pointer and what is wrong; never the rejected value. */
export function faultsOf(issues: readonly StandardSchemaV1.Issue[]): readonly FieldError[] {
  const found: FieldError[] = [];
  for (const issue of issues as readonly z.core.$ZodIssue[]) {
    found.push(...faults(issue, '').slice(0, MAX_FAULTS - found.length));
    if (found.length === MAX_FAULTS) break;
  }
  return found;
}

function faults(issue: z.core.$ZodIssue, root: string): readonly FieldError[] {
  const pointer = issue.path.reduce((before: string, segment) => `${before}/${pointerSegment(String(segment))}`, root);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({ pointer: `${pointer}/${pointerSegment(key)}`, text: 'is not a known member' }));
  if (issue.code === 'invalid_union') {
    const nearest = nearestBranch(issue.errors);
    if (nearest) return nearest.flatMap((inner) => faults(inner, pointer));
  }
  return [{ pointer, text: issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message }];
}

/** Of the branches of a union, the one with the deepest fault, which is the closest match. Null when none matches below the root. */
function nearestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const depth = (branch: readonly z.core.$ZodIssue[]): number =>
    Math.max(0, ...branch.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' || issue.code === 'custom' ? 1 : 0)));
  const deepest = [...branches].sort((one, other) => depth(other) - depth(one))[0];
  return deepest && depth(deepest) > 0 ? deepest : null;
}
