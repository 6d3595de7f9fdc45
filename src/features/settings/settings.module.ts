import { Feature } from '../../engine/feature.js';
import { SettingsController } from './settings.controller.js';

@Feature({
  routes: [SettingsController],
})
export class SettingsModule {}
