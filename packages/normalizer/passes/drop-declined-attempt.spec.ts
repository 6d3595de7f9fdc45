import { it } from '@jest/globals';
import { assistant, call, text, thinking } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { dropDeclinedAttempt } from './drop-declined-attempt.js';

const fallback = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } };

it('drops thinking and calls of the attempt that was declined, and keeps its text', () => {
  const before = [thinking('t'), text('shown'), call('x'), fallback, thinking('u'), text('answer'), call('y')];
  expectBlocks('assistant', dropDeclinedAttempt, before, [text('shown'), thinking('u'), text('answer'), call('y')]);
});

it('counts from the last of several attempts', () => {
  expectBlocks('assistant', dropDeclinedAttempt, [call('x'), fallback, call('y'), fallback, text('answer')], [text('answer')]);
});

it('keeps an answer of one attempt', () => {
  expectSame(dropDeclinedAttempt, [assistant('m', [thinking('t'), text('a'), call('x')])]);
});
