/** A command of the command line was called wrongly: its usage is printed after the message, and it ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
