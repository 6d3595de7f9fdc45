import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { z } from 'zod';
import { type Fault, DomainError } from '../../core/errors.js';
import { escapePointer } from './lossy-json.js';

/** How many faults of one request are listed. */
const MOST = 50;

/** Refuses a body that is not what the schema says. */
export async function requireShape(body: unknown, schema: StandardSchemaV1): Promise<void> {
  const { issues } = await schema['~standard'].validate(body);
  if (issues) throw new DomainError('invalid_input', 'The body is not of the expected shape.', faultsOf(issues));
}

/** Where and what, per fault; the rejected values themselves are not repeated. */
export function faultsOf(issues: readonly StandardSchemaV1.Issue[]): readonly Fault[] {
  return (issues as readonly z.core.$ZodIssue[]).flatMap((issue) => faults(issue, '')).slice(0, MOST);
}

function faults(issue: z.core.$ZodIssue, root: string): readonly Fault[] {
  const pointer = issue.path.reduce((before: string, segment) => `${before}/${escapePointer(String(segment))}`, root);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ pointer: `${pointer}/${escapePointer(key)}`, text: 'is not a known member' }));
  if (issue.code === 'invalid_union') {
    const nearest = nearestBranch(issue.errors);
    if (nearest) return nearest.flatMap((inner) => faults(inner, pointer));
  }
  return [{ pointer, text: issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message }];
}

/** Of several shapes, the one that the value came closest to: whose first fault lies deepest. Null when it resembled none. */
function nearestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const depth = (branch: readonly z.core.$ZodIssue[]): number =>
    Math.max(0, ...branch.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)));
  const deepest = [...branches].sort((one, other) => depth(other) - depth(one))[0];
  return deepest && depth(deepest) > 0 ? deepest : null;
}
