import { Feature } from '../../engine/feature.js';
import { ColdSessionSweep } from './cold-session-sweep.js';

@Feature({
  background: [ColdSessionSweep],
})
export class ArchiveModule {}
