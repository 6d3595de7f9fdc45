import { hash } from 'node:crypto';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';

/** An id of what is recorded when an answer ends: the same in every process, and however often it is recorded. */
export const idOfAnswer = (requestId: string, name: string): string => uuidFromSha256(hash('sha256', `${requestId} ${name}`));

/** The uuid of the message that the answer to a request becomes. */
export const answerUuid = (requestId: string): string => idOfAnswer(requestId, 'answer');
