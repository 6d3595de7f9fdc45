import { Feature } from '../../engine/feature.js';
import { BranchesController } from './branches.controller.js';

@Feature({
  routes: [BranchesController],
})
export class BranchesModule {}
