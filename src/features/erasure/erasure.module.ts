import { Feature } from '../../engine/feature.js';
import { ErasuresController } from './erasures.controller.js';
import { HoldController } from './hold.controller.js';
import { UserErasuresController } from './user-erasures.controller.js';
import { PostgresDueErasures } from './postgres-due-erasures.js';
import { DueErasures } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { EraseSessionHandler } from './erase-session.js';
import { EraseMessageHandler } from './erase-message.js';
import { Eraser } from './eraser.js';
import { ErasedMemory } from './erased-memory.js';
import { Erasures } from './due-erasures.js';

@Feature({
  routes: [ErasuresController, HoldController, UserErasuresController],
  ports: [{ provide: DueErasures, inject: [Database], useFactory: (database: Database) => new PostgresDueErasures(database) }],
  handlers: [EraseSessionHandler, EraseMessageHandler],
  services: [Eraser, ErasedMemory],
  background: [Erasures],
})
export class ErasureModule {}
