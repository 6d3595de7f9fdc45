import { findProgram } from '../../src/engine/tools/bash/sandbox.js';

/** The first of these programs that the machine has. */
export const find = (...names: readonly string[]): string | undefined =>
  names.flatMap((name) => findProgram(name, `${process.env['PATH'] ?? ''}:/usr/sbin`) ?? [])[0];

export const CHROMIUM_FILE = process.env['CHROMIUM'] || find('chromium', 'chromium-browser', 'google-chrome');
