import { Feature } from '../../engine/feature.js';
import { AuditController } from './audit.controller.js';
import { StructureController } from './structure.controller.js';
import { LogController } from './log.controller.js';
import { JsonLinesFile } from './anchors/json-lines-file.js';
import { AnchorFile, TimeStamps, Webhooks } from '../../ports/index.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { HttpTimeStamps } from './anchors/http-time-stamps.js';
import { CheckpointSigner } from './checkpoint-signer.js';
import { Witnessing } from './witnessing.js';
import { Sequencer } from './sequencer.js';
import { Anchoring } from './anchoring.js';
import { RecurringAudit } from './recurring-audit.js';

@Feature({
  routes: [AuditController, StructureController, LogController],
  ports: [
    { provide: AnchorFile, inject: [SETTINGS], useFactory: (settings: Pick<Settings, 'ANCHOR_FILE'>) => new JsonLinesFile(settings.ANCHOR_FILE) },
    { provide: TimeStamps, inject: [Webhooks], useFactory: (webhooks: Webhooks) => new HttpTimeStamps(webhooks) },
  ],
  services: [CheckpointSigner, Witnessing],
  background: [Sequencer, Anchoring, RecurringAudit],
})
export class ProofsModule {}
