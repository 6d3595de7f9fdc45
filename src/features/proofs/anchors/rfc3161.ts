import { randomBytes } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

/** Requests and answers of time stamp authorities (RFC 3161), with SHA-256. */

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const NONCE_BYTES = 8;

/** Statuses `granted` and `grantedWithMods`. */
const GRANTED: readonly number[] = [0, 1];

export interface TimeStampRequest {
  /** DER. */
  readonly body: Uint8Array;
  readonly imprint: Uint8Array;
  readonly nonce: Uint8Array;
}

/** `imprint`: the SHA-256 of what is stamped. The certificate is asked for, so that the token can be verified without more. */
export function timeStampRequest(imprint: Uint8Array): TimeStampRequest {
  const nonce = randomBytes(NONCE_BYTES);
  nonce[0]! &= 0x7f; // a positive integer,
  nonce[0]! |= 0x40; // without leading zeros, which DER would drop
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({ algorithmId: SHA_256, algorithmParams: new asn1js.Null() }),
      hashedMessage: new asn1js.OctetString({ valueHex: bufferOf(imprint) }),
    }),
    nonce: new asn1js.Integer({ valueHex: bufferOf(nonce) }),
    certReq: true,
  });
  return { body: new Uint8Array(request.toSchema().toBER()), imprint, nonce };
}

export interface TimeStampToken {
  /** DER, as `openssl ts -verify -token_in` reads it. */
  readonly token: Uint8Array;
  readonly time: Date;
}

/** Throws when the answer is not a granted time stamp of exactly this request. The signature of the authority is not verified here: that is for those who trust one. */
export function readTimeStamp(answer: Uint8Array, { imprint, nonce }: TimeStampRequest): TimeStampToken {
  const response = pkijs.TimeStampResp.fromBER(bufferOf(answer));
  if (!GRANTED.includes(response.status.status) || !response.timeStampToken)
    throw new Error(`the time stamp authority refused, with status ${response.status.status}`);
  const { encapContentInfo } = new pkijs.SignedData({ schema: response.timeStampToken.content });
  if (encapContentInfo.eContentType !== TST_INFO || !encapContentInfo.eContent) throw new Error('the answer has no time stamp');
  const { messageImprint, nonce: answered, genTime } = pkijs.TSTInfo.fromBER(encapContentInfo.eContent.getValue());
  const isSame =
    messageImprint.hashAlgorithm.algorithmId === SHA_256 &&
    Buffer.from(messageImprint.hashedMessage.getValue()).equals(imprint) &&
    answered !== undefined &&
    Buffer.from(answered.valueBlock.valueHexView).equals(nonce);
  if (!isSame) throw new Error('the time stamp is of something else');
  return { token: new Uint8Array(response.timeStampToken.toSchema().toBER()), time: genTime };
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
