import { Feature } from '../../engine/feature.js';
import { MarkdownController } from './markdown.controller.js';
import { ExportController } from './export.controller.js';
import { ImportsController } from './imports.controller.js';
import { ImportSessionHandler } from './import-session.js';

@Feature({
  routes: [ExportController, MarkdownController, ImportsController],
  handlers: [ImportSessionHandler],
})
export class TransferModule {}
