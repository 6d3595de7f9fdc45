/** Keys of tenants for the model API, which their requests go out with instead of that of the deployment. They are stored encrypted only. */
export abstract class UpstreamKeys {
  /** Null: the tenant has none. Rejected with `key_unavailable`: its key is stored, but cannot be decrypted. Its requests never go out with another key. */
  abstract of(tenantId: string): Promise<string | null>;
  /** In the form in which the settings of the tenant hold it. Rejected with `invalid_input` where nothing is encrypted. */
  abstract encrypted(tenantId: string, key: string): Promise<string>;
}
