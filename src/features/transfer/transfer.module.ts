import { Feature } from '../../engine/feature.js';
import { TransferController } from './transfer.controller.js';
import { ImportSessionHandler } from './import-session.js';

@Feature({
  routes: [TransferController],
  handlers: [ImportSessionHandler],
})
export class TransferModule {}
