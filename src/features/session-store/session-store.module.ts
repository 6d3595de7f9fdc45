import { Feature } from '../../engine/feature.js';
import { AppendLinesHandler } from './append-lines.js';
import { FileReader } from './file-reader.js';
import { FileSessions } from './file-sessions.js';
import { FileWriter } from './file-writer.js';
import { KeptFiles } from './kept-files.js';
import { SessionStoreController } from './session-store.controller.js';

@Feature({
  routes: [SessionStoreController],
  routeServices: [FileSessions, FileReader],
  handlers: [AppendLinesHandler],
  services: [FileSessions, KeptFiles, FileWriter],
})
export class SessionStoreModule {}
