import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MODEL, isKnownModel, profileFor, providerIn } from './profiles.js';

describe('profileFor', () => {
  it.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5/anthropic'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5/anthropic'],
    ['claude-opus-4-20250514', 'claude-opus-4/anthropic'],
    ['claude-opus-4-1-20250805', 'claude-opus-4-1/anthropic'],
    ['claude-opus-5', 'claude-opus-5/anthropic'],
    ['claude-opus-5-5', 'claude-opus-5-5/anthropic'],
    ['claude-opus-4.6', 'claude-opus-4-6/anthropic'],
    ['claude-mythos-preview', 'claude-mythos-preview/anthropic'],
    ['anthropic.claude-opus-4-6-v1:0', 'claude-opus-4-6/bedrock'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5/bedrock'],
    ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6/bedrock'],
    ['arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:application-inference-profile/abc123', 'unknown/bedrock'],
    ['claude-haiku-4-5@20251001', 'claude-haiku-4-5/vertex'],
    ['projects/p/locations/global/publishers/anthropic/models/claude-opus-5', 'claude-opus-5/vertex'],
    ['claude-opus-9', 'unknown/anthropic'],
    ['something-else', 'unknown/anthropic'],
    ['', 'unknown/anthropic'],
  ])('maps %s to %s', (model, name) => {
    expect(profileFor(model).name).toBe(name);
  });

  it.each(['anthropic', 'bedrock', 'vertex', 'foundry'] as const)('has names that identify the provider %s', (provider) => {
    expect(providerIn(profileFor('claude-opus-5', provider).name)).toBe(provider);
    expect(providerIn(provider.toUpperCase())).toBeUndefined();
  });

  it('uses the given provider instead of the one derived from the id', () => {
    expect(profileFor('claude-opus-5', 'vertex').name).toBe('claude-opus-5/vertex');
  });

  it('has the documented values of each generation', () => {
    expect(profileFor('claude-haiku-4-5')).toMatchObject({
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      prefill: true,
      toolSearch: false,
      maxPdfPages: 100,
    });
    expect(profileFor('claude-opus-4-6')).toMatchObject({
      prefill: false,
      thinkingModes: ['enabled', 'adaptive', 'disabled'],
      systemRole: false,
    });
    expect(profileFor('claude-opus-4-8')).toMatchObject({
      thinkingModes: ['adaptive', 'disabled'],
      systemRole: true,
      preservedThinking: false,
    });
    expect(profileFor('claude-sonnet-5')).toMatchObject({
      systemRole: false,
      preservedThinking: false,
      contextWindow: 1_000_000,
    });
    expect(profileFor('claude-fable-5')).toMatchObject({ thinkingModes: ['adaptive'], preservedThinking: false });
    for (const model of ['fable-5-1', 'fable-5-2', 'mythos-5-1', 'mythos-5-2', 'opus-5-5', 'sonnet-5-5', 'haiku-5-5']) {
      expect(profileFor(`claude-${model}`)).toMatchObject({ preservedThinking: true, image: { maxCount: 600 } });
    }
  });

  it('gives an unknown model the strictest profile', () => {
    const unknown = profileFor('claude-next-1');
    expect(unknown).toMatchObject({
      prefill: false,
      systemRole: false,
      toolSearch: false,
      contextWindow: 200_000,
      preservedThinking: true,
    });
    expect(isKnownModel('claude-next-1')).toBe(false);
  });

  it('has the default model in the table', () => {
    expect(isKnownModel(DEFAULT_MODEL)).toBe(true);
  });

  it('applies the limits of partner platforms', () => {
    expect(profileFor('anthropic.claude-opus-5')).toMatchObject({
      mergesSameRole: false,
      systemRole: false,
      image: { maxBase64Bytes: 5 * 1024 * 1024 },
    });
    expect(profileFor('claude-opus-5', 'vertex')).toMatchObject({
      mergesSameRole: true,
      systemRole: true,
      mediaByReference: false,
    });
  });
});
