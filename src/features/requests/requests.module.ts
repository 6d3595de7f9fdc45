import { Feature } from '../../engine/feature.js';
import { RequestsController } from './requests.controller.js';
import { PayloadController } from './payload.controller.js';
import { NormalizeController } from './normalize.controller.js';

@Feature({
  routes: [RequestsController, PayloadController, NormalizeController],
})
export class RequestsModule {}
