import { Injectable } from '@nestjs/common';
import type { Attachment } from '../core/message/attachment.js';
import type { Draft } from '../core/message/draft.js';
import type { AttachmentMessage } from '../core/message/message.js';
import { toldIn } from '../core/message/standing.js';
import { contextEntries } from '../core/normalize/conversation.js';
import { AttachmentProviders, Clock, type StandingRequest, type StandingSource } from '../core/ports.js';
import type { SessionState } from '../core/session/state.js';
import { AttachmentReads } from './attachment-reads.js';
import type { ClaimedTurn } from './turn-reports.js';

/**
 * The context that every request contains: instructions, skills, git status, date. Before each request the model's conversation is compared with what is in force;
 * what it lacks, for whatever reason, is appended to it first. What was sent before is never changed.
 */
@Injectable()
export class StandingContext {
  constructor(
    private readonly providers: AttachmentProviders,
    private readonly clock: Clock,
    private readonly reads: AttachmentReads,
  ) {}

  /** The messages to append before the next request of `state`, which is read before the first await only. Throws when a required source fails. */
  async missing({ tenantId, sessionId }: ClaimedTurn, state: SessionState, signal: AbortSignal): Promise<readonly Draft<AttachmentMessage>[]> {
    const told = toldIn(contextEntries(state));
    const inPlace = wasSent(state) ? { inPlace: true } : {};
    const request = { tenantId, sessionId, settings: state.settings, now: this.clock.now() };
    const read = await Promise.all(this.providers.standing.map((source) => this.#read(source, request, told.get(source.name) ?? null, signal)));
    const timestamp = this.clock.timestamp();
    return this.providers.standing.flatMap(({ name }, index) => {
      const attachment = read[index] ?? null;
      return attachment === null ? [] : [{ type: 'attachment' as const, uuid: this.clock.uuid(), timestamp, attachment, standing: name, ...inPlace }];
    });
  }

  async #read(source: StandingSource, request: StandingRequest, told: Attachment | null, signal: AbortSignal): Promise<Attachment | null> {
    if (source.isRequired) return source.read(request, told, signal);
    const read = async (stop: AbortSignal): Promise<readonly Attachment[]> => [await source.read(request, told, stop)].filter((one) => one !== null);
    return (await this.reads.read(source, read, signal))[0] ?? null;
  }
}

/** Whether the last message was part of an earlier request, as when a request is repeated. */
function wasSent({ head, messages, lastSent }: SessionState): boolean {
  const last = messages.get(head ?? '');
  return last !== undefined && lastSent !== null && last.seq <= lastSent.request.at;
}
