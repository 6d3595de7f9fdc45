import { Feature } from '../../engine/feature.js';
import { BlobsController } from './blobs.controller.js';
import { ObjectRemovals } from './object-removals.js';

@Feature({
  routes: [BlobsController],
  background: [ObjectRemovals],
})
export class BlobsModule {}
