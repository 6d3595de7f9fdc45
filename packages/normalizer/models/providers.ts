import type { ImageLimits, Provider } from './profile-terms.js';

const MIB = 1024 * 1024;

/** Limits of a provider that apply to all models. */
export interface ProviderLimits {
  /** Bytes of the whole request body (docs: API overview, "Request size limits"). */
  readonly maxBodyBytes: number;
  /** Whether consecutive messages of one role are merged into one turn; otherwise they are rejected, as on legacy Bedrock (docs: Messages API). */
  readonly mergesSameRole: boolean;
  /** Whether `messages` accepts `role: "system"`. */
  readonly systemRole: boolean;
  /** Whether server tools such as web search are available (docs: each platform's "Features not supported"). */
  readonly serverTools: boolean;
  /** Whether images and documents may be given by URL or file id; partner platforms accept base64 only (docs: Vision). */
  readonly mediaByReference: boolean;
  readonly image: Omit<ImageLimits, 'maxCount'>;
}

const IMAGE = {
  maxPixelsPerSide: 8_000, // docs: Vision
  manyImageThreshold: 20, // docs: Vision, "many-image requests"
  manyImagePixels: 2_000,
};

/** The partner platforms of Google and Microsoft. */
const PARTNER: ProviderLimits = {
  maxBodyBytes: 30 * MIB,
  mergesSameRole: true,
  systemRole: true,
  serverTools: true,
  mediaByReference: false,
  image: { ...IMAGE, maxBase64Bytes: 5 * MIB, manyImageCountsDocuments: true },
};

export const PROVIDERS: Readonly<Record<Provider, ProviderLimits>> = {
  anthropic: {
    maxBodyBytes: 32 * MIB,
    mergesSameRole: true,
    systemRole: true,
    serverTools: true,
    mediaByReference: true,
    image: { ...IMAGE, maxBase64Bytes: 10 * MIB, manyImageCountsDocuments: false },
  },
  bedrock: {
    maxBodyBytes: 20 * MIB,
    mergesSameRole: false,
    systemRole: false,
    serverTools: false,
    mediaByReference: false,
    image: { ...IMAGE, maxBase64Bytes: 5 * MIB, manyImageCountsDocuments: true },
  },
  vertex: PARTNER,
  foundry: PARTNER,
};
