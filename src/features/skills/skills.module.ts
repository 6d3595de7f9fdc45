import { Feature } from '../../engine/feature.js';
import { SkillsController } from './skills.controller.js';

@Feature({
  routes: [SkillsController],
})
export class SkillsModule {}
