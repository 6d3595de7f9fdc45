import { Feature } from '../../engine/feature.js';
import { ViewsController } from './requests.controller.js';

@Feature({
  routes: [ViewsController],
})
export class RequestsModule {}
