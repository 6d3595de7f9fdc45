import { z } from 'zod';

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}

/** Of the user who writes a prompt. */
export const timeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, 'is no IANA time zone, such as Europe/Berlin')
  .optional()
  .meta({ description: "The user's time zone, such as `Europe/Berlin`: the model is told the date there. Default UTC." });
