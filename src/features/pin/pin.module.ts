import { Feature } from '../../engine/feature.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { Pins } from '../../ports/index.js';
import { PinController } from './pin.controller.js';
import { PostgresPins } from './postgres-pins.js';

@Feature({
  routes: [PinController],
  ports: [{ provide: Pins, inject: [Database], useFactory: (database: Database) => new PostgresPins(database) }],
})
export class PinsModule {}
