/** A database that is not distributed. */
export const ONE_POSTGRES = { read: async () => null, away: async () => [], reachable: async (tenants: readonly string[]) => new Set(tenants) };
