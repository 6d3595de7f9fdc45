import { describe, expect, it } from '@jest/globals';
import { parseBlobStore } from './blob-store-url.js';

describe('the address of an object storage', () => {
  it.each([
    ['s3://files', { bucket: 'files', prefix: '', region: null, endpoint: null, pathStyle: false }],
    ['s3://files/verbatim/?region=eu-central-1', { bucket: 'files', prefix: 'verbatim/', region: 'eu-central-1', endpoint: null, pathStyle: false }],
    [
      's3://files/a/b?endpoint=http://127.0.0.1:9000&path_style=true',
      { bucket: 'files', prefix: 'a/b/', region: 'us-east-1', endpoint: 'http://127.0.0.1:9000', pathStyle: true },
    ],
    [
      's3://files?endpoint=https%3A%2F%2Fstorage.example.com&region=auto',
      { bucket: 'files', prefix: '', region: 'auto', endpoint: 'https://storage.example.com', pathStyle: false },
    ],
  ])('%s', (text, address) => {
    expect(parseBlobStore(text)).toEqual(address);
  });

  it.each([
    ['https://files.s3.amazonaws.com', /must be s3:/],
    ['s3://', /names no bucket|must be s3:/],
    ['s3://Files_of_us', /names no bucket|must be s3:/],
    ['s3://key:secret@files', /must not have credentials/],
    ['s3://files?endpont=http://h', /has a parameter endpont; there are endpoint, region, path_style/],
    ['s3://files?endpoint=h:9000', /no http or https address/],
    ['s3://files?path_style=yes', /neither true nor false/],
    ['s3://files/a b', /other characters/],
  ])('is refused with what is wrong: %s', (text, fault) => {
    expect(() => parseBlobStore(text)).toThrow(fault);
  });
});
