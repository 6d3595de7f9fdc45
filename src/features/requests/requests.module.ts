import { Feature } from '../../engine/feature.js';
import { RequestsController } from './requests.controller.js';

@Feature({
  routes: [RequestsController],
})
export class RequestsModule {}
