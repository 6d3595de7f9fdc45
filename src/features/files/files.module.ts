import { Feature } from '../../engine/feature.js';
import { FileQueries } from './file-queries.js';
import { FilesController } from './files.controller.js';

@Feature({
  routes: [FilesController],
  routeServices: [FileQueries],
})
export class FilesModule {}
