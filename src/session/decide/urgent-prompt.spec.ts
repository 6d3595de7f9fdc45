import { expect, it } from '@jest/globals';
import { waitForCalls, calling, decisions, resultsOf, finishInterrupt, use, verdict } from '../../../test/support/calls.js';
import { submit } from '../../../test/support/given-session.js';
import { nextStep } from './next-step.js';

it('a prompt that may not wait resumes a turn that waits for a decision, so that it ends: no worker has it', () => {
  const scene = calling(use('a'), use('b', 'lookup'));
  scene.when(decisions(verdict('a', 'ask')));
  scene.when(waitForCalls);
  expect(scene.types(submit(2, 'never mind', 'interrupt'))).toEqual(['prompt.submitted', 'prompt.queued', 'turn.interrupt_requested', 'turn.resumed']);
  expect(nextStep(scene.state, 't1').kind).toBe('finish-interrupt');
  expect(scene.types(finishInterrupt)).toEqual(['message.appended', 'message.appended', 'turn.interrupted', 'turn.started']);
  expect(resultsOf(scene)).toEqual(['a', 'b']);
});

it('prompts that may not wait ask a running turn to stop once', () => {
  const scene = calling(use('a'));
  expect(scene.types(submit(2, 'never mind', 'interrupt'))).toEqual(['prompt.submitted', 'prompt.queued', 'turn.interrupt_requested']);
  expect(scene.types(submit(3, 'nor that', 'interrupt'))).toEqual(['prompt.submitted', 'prompt.queued']);
});
