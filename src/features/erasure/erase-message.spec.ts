import { expect, it } from '@jest/globals';
import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { calling, decisions, startHelper, use, verdict } from '../../../test/support/calls.js';
import { emptyState } from '../../session/state/state.js';
import { EraseMessageHandler } from './erase-message.js';

it('an erasure of a message finds a helper that was made after it had been asked for', async () => {
  const scene = calling(use('a', 'Agent'), use('b', 'Agent'));
  scene.when(decisions(verdict('a', 'allow'), verdict('b', 'allow')));
  scene.when(startHelper('a'));
  const uuid = [...scene.state.messages.values()].find(({ message }) => message.type === 'assistant')!.message.uuid;
  const made = { ...emptyState(), version: 1 };
  const erased: string[] = [];
  const eraser = {
    message: async () => {
      scene.when(startHelper('b')); // before the turn has stopped
      scene.append({
        type: 'content.erased',
        data: { erasureId: 'e', scope: 'message', messages: [uuid], reason: null, events: [], bytes: 0, blobs: 0, isComplete: true },
      });
      return { erasureId: 'e', files: [] };
    },
    session: async ({ sessionId }: { sessionId: string }) => void erased.push(sessionId),
  };
  const sessions = { load: async (_: string, id: string) => (id === 's' ? scene.state : made) };
  const none = { forks: async () => [], of: async () => [] };
  const given = [eraser, sessions, none, none] as unknown as ConstructorParameters<typeof EraseMessageHandler>;
  const principal = systemPrincipal('t', 'u1');
  const command = { context: { principal, sessionId: 's', commandId: 'c', expectedVersion: null }, uuid, reason: null, includeForks: false };
  const { helpers } = await new EraseMessageHandler(...given).execute(command as never);
  expect(helpers).toEqual(['helper-a', 'helper-b']);
  expect(erased).toEqual(helpers);
});
