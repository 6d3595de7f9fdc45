import { Feature } from '../../engine/feature.js';
import { BlobsController } from './blobs.controller.js';

@Feature({
  routes: [BlobsController],
})
export class BlobsModule {}
