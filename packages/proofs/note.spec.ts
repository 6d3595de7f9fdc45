import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.js';
import { ed25519, sha256 } from '../../test/support/sha256.js';
import { checkpointText, readCheckpoint } from './checkpoint.js';
import { leafData } from './leaf.js';
import { isKeyName, openNote, readSignerKey, readVerifierKey, signedNote, signerKey, verifierKey } from './note.js';
import { pathOf, tileAt, TILE_WIDTH } from './tiles.js';

/** The example in the documentation of golang.org/x/mod/sumdb/note. */
const SIGNER = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const NOTE = `${TEXT}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;

const seed = readSignerKey(SIGNER)!;
const publicKey = { name: seed.name, key: ed25519.publicKey(seed.key) };
const sign = (text: Uint8Array): Uint8Array => ed25519.sign(seed.key, text);
const open = (note: string, key = publicKey): string | null => openNote(sha256, note, key, ed25519.verify);

describe('a signed note', () => {
  it('is that of the Go package, byte for byte, as are its keys', () => {
    expect(verifierKey(sha256, publicKey)).toBe(VERIFIER);
    expect(signerKey(sha256, seed, publicKey.key)).toBe(SIGNER);
    expect(readVerifierKey(sha256, VERIFIER)).toEqual(publicKey);
    expect(signedNote(sha256, TEXT, publicKey, sign)).toBe(NOTE);
    expect(open(NOTE)).toBe(TEXT);
  });

  it('opens with the signatures of others beside it', () => {
    const witness = '— witness.example AAAAAAAAAAAAAAAA\n';
    expect(open(`${NOTE}${witness}`)).toBe(TEXT);
    expect(open(NOTE.replace('— Peter', `${witness}— Peter`))).toBe(TEXT);
  });

  it('does not open with any bit changed', () => {
    fc.assert(
      fc.property(fc.nat(NOTE.length - 1), fc.constantFrom(...'Ab1 \n+'), (at, letter) => {
        const changed = NOTE.slice(0, at) + letter + NOTE.slice(at + 1);
        return changed === NOTE || open(changed) === null;
      }),
      runs(300),
    );
  });

  it.each([
    ['no signature', TEXT],
    ['a line that is no signature', `${NOTE}not a signature\n`],
    ['no newline at the end', NOTE.trimEnd()],
    ['the signature of another key', NOTE.replaceAll('PeterNeumann', 'Another')],
  ])('does not open with %s', (_, note) => {
    expect(open(note)).toBeNull();
  });

  it('has key names without spaces and plus signs', () => {
    expect(['example.com/log', 'ä', 'a b', 'a+b', '', 'a\n', '\ud800'].map(isKeyName)).toEqual([true, true, false, false, false, false, false]);
  });

  it.each([VERIFIER.slice(0, -1), VERIFIER.replace('c74f20a3', 'c74f20a4'), `${VERIFIER}=`, 'a+b', '', SIGNER])(
    'does not take %j for a verifier key',
    (text) => {
      expect(readVerifierKey(sha256, text)).toBeNull();
    },
  );
});

describe('a checkpoint', () => {
  it('has three lines', () => {
    const root = sha256(new Uint8Array());
    const text = checkpointText({ origin: 'example.com/log', size: 8412, root });
    expect(text).toBe('example.com/log\n8412\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n');
    expect(readCheckpoint(text)).toEqual({ origin: 'example.com/log', size: 8412, root });
  });

  it.each([
    'o\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
    'o\n-1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
    'o\n1\nAAAA\n',
    '\n1\n',
    'o\n1\n47DEQpj8',
  ])('is not %j', (text) => {
    expect(readCheckpoint(text)).toBeNull();
  });
});

it('the bytes of a leaf are a format name, the session id, the seq, and the chain hash', () => {
  const hash = sha256(new Uint8Array());
  const data = leafData({ sessionId: '00010203-0405-4607-8809-0a0b0c0d0e0f', seq: 258, hash });
  expect(Buffer.from(data).toString('hex')).toBe(
    `${Buffer.from('verbatim event 1').toString('hex')}000102030405460788090a0b0c0d0e0f0000000000000102${Buffer.from(hash).toString('hex')}`,
  );
});

describe('the path of a tile', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 1, index: 1_000, width: 5 }, 'tile/1/x001/000.p/5'],
  ])('of %j is %s', (tile, path) => {
    expect(pathOf(tile)).toBe(path);
  });

  it('names one tile', () => {
    fc.assert(
      fc.property(fc.nat(5), fc.nat(4_000_000_000), fc.integer({ min: 1, max: TILE_WIDTH }), (level, index, width) => {
        expect(tileAt(pathOf({ level, index, width }))).toEqual({ level, index, width });
      }),
      runs(200),
    );
  });

  it.each([
    'tile/0/0',
    'tile/0/x000/001',
    'tile/9/000',
    'tile/0/001.p/256',
    'tile/0/001.p/0',
    'tile/0/001.p/300',
    'tile/entries/000',
    'tile/0/../000',
    `tile/0/${'x999/'.repeat(9)}999`,
  ])('is not %j', (path) => {
    expect(tileAt(path)).toBeNull();
  });
});
