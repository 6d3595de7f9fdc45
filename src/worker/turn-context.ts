import { Injectable } from '@nestjs/common';
import { type Job, type Labels, Sessions, Telemetry } from '../core/ports.js';

/**
 * What a turn's work is done in the name of. The trace and the workload tag of the request that gave the prompt are read off the log, like everything else a
 * worker needs: a prompt that waited, a turn that another worker left and one that goes on after its client's answer all belong to where they came from.
 */
@Injectable()
export class TurnContext {
  constructor(
    private readonly sessions: Sessions,
    private readonly telemetry: Telemetry,
  ) {}

  async during<T>({ tenantId, sessionId, turnId }: Job['payload'], work: () => Promise<T>): Promise<T> {
    const state = await this.sessions.load(tenantId, sessionId);
    const { promptId } = state.turns.get(turnId) ?? {};
    const submission = promptId === undefined ? undefined : state.prompts.get(promptId)?.submission;
    const { workload, traceparent } = submission ?? {};
    const tagged: Labels = workload === undefined ? {} : { workload };
    const attributes: Labels = { tenantId, sessionId, turnId, ...(promptId === undefined ? {} : { promptId }), ...tagged };
    const options = { kind: 'consumer' as const, attributes, ...(traceparent === undefined ? {} : { parent: traceparent }) };
    return this.telemetry.within({ sessionId, turnId, ...tagged }, () => this.telemetry.span('turn', options, work));
  }
}
