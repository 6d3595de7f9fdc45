import { Feature } from '../../engine/feature.js';
import { PluginsController } from './plugins.controller.js';
import { SkillsController } from './skills.controller.js';

@Feature({
  routes: [SkillsController, PluginsController],
})
export class SkillsModule {}
