import { type LiveBus, revocationChannel } from '../../ports/index.js';

/** To be called after credentials of a tenant were revoked: their open streams end, in every process. */
export function announceRevocation(bus: LiveBus, tenantId: string): void {
  bus.publish({ kind: 'advanced', sessionId: revocationChannel(tenantId), seq: 0 });
}
