import { MessageMedia } from './message-media.js';
import { MediaIntake } from './media-intake.js';
import { ResultMedia } from './result-media.js';

/** The doors for images and documents that are no part of a prompt. */
export const MEDIA = [MediaIntake, ResultMedia, MessageMedia];
