import { Feature } from '../../engine/feature.js';
import { ForksController } from './forks.controller.js';

@Feature({
  routes: [ForksController],
})
export class ForksModule {}
