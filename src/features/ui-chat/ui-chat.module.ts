import { Feature } from '../../engine/feature.js';
import { UiChatController } from './ui-chat.controller.js';
import { UiChats } from './ui-chats.js';

@Feature({
  routes: [UiChatController],
  routeServices: [UiChats],
})
export class UiChatModule {}
