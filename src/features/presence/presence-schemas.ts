import { z } from 'zod';
import { presenceState } from '../../http/schemas/live-schemas.js';

export const presenceBody = z
  .strictObject({ state: presenceState.meta({ description: '`left`: no longer present.' }) })
  .meta({ id: 'Presence', examples: [{ state: 'typing' }] });
