import type { TenantRole } from '../../packages/protocol/access/roles.js';
import type { UserInfo } from './accounts.js';

/** The users of a tenant, as its admins see and change them. The last admin who is not disabled stays one: `last_admin`. */
export abstract class People {
  /** Null: the tenant has no such user. */
  abstract user(tenantId: string, userId: string): Promise<UserInfo | null>;
  /** Disabling revokes every token of the user, with those that were created with them, and ends the sign-ins. False: there is no such user. */
  abstract change(tenantId: string, userId: string, change: { readonly role?: TenantRole; readonly disabled?: boolean }): Promise<boolean>;
  /** Disables the user and removes the name. False: there is no such user. */
  abstract remove(tenantId: string, userId: string): Promise<boolean>;
}
