import { DomainError } from '../../../packages/protocol/errors.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { EncryptedContent } from '../../engine/store/encrypted-content.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { type DataKey, type Encryption, type TenantConfiguration, UpstreamKeys } from '../../ports/index.js';

/** The maximum number of tenants whose keys are kept decrypted. */
const MAX_CACHED = 10_000;

/** In the settings of the tenant, encrypted with a data key of the tenant. */
export class EncryptedUpstreamKeys extends UpstreamKeys {
  readonly #content: EncryptedContent;
  readonly #known = new Map<string, { readonly encrypted: string; readonly key: string }>();

  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly tenants: TenantConfiguration,
  ) {
    super();
    this.#content = new EncryptedContent(database, encryption);
  }

  override async of(tenantId: string): Promise<string | null> {
    const { upstreamKey: encrypted } = await this.tenants.read(tenantId);
    if (encrypted === null) return null;
    const known = this.#known.get(tenantId);
    if (known?.encrypted === encrypted) return known.key;
    const opened = (await this.#opened(tenantId, encrypted)) ?? (await this.#openedWithStored(tenantId, encrypted));
    if (!opened)
      throw new DomainError(
        'key_unavailable',
        'The key of the tenant for the model API cannot be decrypted: it was altered, or its data key is gone. Set it again.',
      );
    const key = Buffer.from(opened).toString();
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    this.#known.set(tenantId, { encrypted, key });
    return key;
  }

  override async encrypted(tenantId: string, key: string): Promise<string> {
    if (!this.encryption.isOn) {
      throw new DomainError('invalid_input', 'The settings are not valid; the entries of `errors` name each fault.', [
        { pointer: '/upstreamKey', text: 'needs a server with ENCRYPTION=on: keys of tenants are stored encrypted only' },
      ]);
    }
    this.encryption.drop(idOf(tenantId)); // it is encrypted with what is stored, not with what this process remembers
    const dataKey = (await this.#dataKey(tenantId)) ?? (await this.#newDataKey(tenantId));
    return Buffer.from(dataKey.encrypt(Buffer.from(key), contextOf(tenantId))).toString('base64');
  }

  async #opened(tenantId: string, encrypted: string): Promise<Uint8Array | null> {
    return (await this.#dataKey(tenantId))?.open(Buffer.from(encrypted, 'base64'), contextOf(tenantId)) ?? null;
  }

  /** With the data key that is stored: this process may remember an earlier one. */
  #openedWithStored(tenantId: string, encrypted: string): Promise<Uint8Array | null> {
    this.encryption.drop(idOf(tenantId));
    return this.#opened(tenantId, encrypted);
  }

  async #dataKey(tenantId: string): Promise<DataKey | null> {
    const id = idOf(tenantId);
    return (await this.#content.keys(tenantId, [id])).get(id) ?? null;
  }

  /** Another process may store one at the same moment: then it is that. */
  async #newDataKey(tenantId: string): Promise<DataKey> {
    const { stored } = await this.encryption.create(idOf(tenantId));
    await this.database.inTenant(
      tenantId,
      (client) => client.$executeRaw`INSERT INTO data_key (id, tenant_id, key_id, wrapped)
        VALUES (${stored.id}::uuid, ${tenantId}::uuid, ${stored.keyId}::text, ${Buffer.from(stored.wrapped)}::bytea) ON CONFLICT DO NOTHING`,
    );
    const key = await this.#dataKey(tenantId);
    if (!key) throw new Error('a data key that was stored is not there');
    return key;
  }
}

/** The data key of a tenant's settings. */
const idOf = (tenantId: string): string => deriveId(tenantId, 'settings');
const contextOf = (tenantId: string): string => `upstream key of ${tenantId}`;
