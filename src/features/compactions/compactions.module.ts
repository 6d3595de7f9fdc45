import { Feature } from '../../engine/feature.js';
import { CompactionsController } from './compactions.controller.js';

@Feature({
  routes: [CompactionsController],
})
export class CompactionsModule {}
