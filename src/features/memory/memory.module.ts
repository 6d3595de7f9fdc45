import { Feature } from '../../engine/feature.js';
import { MemoryController } from './memory.controller.js';

@Feature({ routes: [MemoryController] })
export class MemoryModule {}
