import type { z } from 'zod';

/** By the end of a setting's name. */
const UNITS: Readonly<Record<string, string>> = { MS: 'milliseconds', BYTES: 'bytes', MB: 'megabytes', MINUTES: 'minutes', HOURS: 'hours', DAYS: 'days' };

/** Their values are not repeated. */
const SECRET = /SECRET|TOKEN|KEY|URL|STORE|WITNESSES/;

/** `NAME: what is wrong; it is "1s"`. */
export function faultIn(issue: z.core.$ZodIssue, given: Readonly<Record<string, string | undefined>>): string {
  const name = String(issue.path[0]);
  const unit = UNITS[name.slice(name.lastIndexOf('_') + 1)];
  const isNoNumber = issue.code === 'invalid_type' && issue.expected === 'number';
  const what = isNoNumber ? `must be a number${unit === undefined ? '' : ` of ${unit}, without a unit`}` : issue.message;
  const value = given[name];
  const shown = value === undefined || SECRET.test(name) ? '' : `; it is ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  return `  ${issue.path.join('.')}: ${what}${shown}`;
}
