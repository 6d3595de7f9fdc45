import type { ImageLimits, Provider } from './profile-terms.js';

const MIB = 1024 * 1024;

/** What a provider adds to, or takes from, every family it serves. */
export interface ProviderLimits {
  /** Bytes of the whole request body (docs: API overview, "Request size limits"). */
  readonly maxBodyBytes: number;
  /** Whether neighbours of one role are joined into one turn; where not, they are refused (docs: Messages API; legacy Bedrock refuses). */
  readonly mergesSameRole: boolean;
  /** Whether `role: "system"` inside `messages` reaches the model at all. */
  readonly systemRole: boolean;
  /** Whether the provider runs tools on its own side, such as web search (docs: each platform's "Features not supported"). */
  readonly serverTools: boolean;
  /** Whether images and documents may come by URL or file id (docs: Vision; partners take base64 only). */
  readonly mediaByReference: boolean;
  readonly image: Omit<ImageLimits, 'maxCount'>;
}

const IMAGE = {
  maxPixelsPerSide: 8_000, // docs: Vision
  manyImageThreshold: 20, // docs: Vision, "many-image requests"
  manyImagePixels: 2_000,
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
  vertex: {
    maxBodyBytes: 30 * MIB,
    mergesSameRole: true,
    systemRole: true,
    serverTools: true,
    mediaByReference: false,
    image: { ...IMAGE, maxBase64Bytes: 5 * MIB, manyImageCountsDocuments: true },
  },
};
