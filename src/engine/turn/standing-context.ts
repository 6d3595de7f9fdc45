import { Injectable } from '@nestjs/common';
import { type Attachment, OMITTED } from '../../../packages/protocol/message/attachment.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { AttachmentMessage } from '../../../packages/protocol/message/message.js';
import { toldIn } from '../../../packages/protocol/message/standing.js';
import { contextEntries } from '../../session/payload/conversation.js';
import { AttachmentProviders, Clock, type StandingRequest, type StandingSource } from '../../ports/index.js';
import { memoryInUse } from '../../session/state/memory-owner.js';
import type { SessionState } from '../../session/state/state.js';
import { hasFile } from '../../session/state/workspace.js';
import { AttachmentReads, type Read } from './attachment-reads.js';
import type { ClaimedTurn } from './turn-reports.js';

/**
 * The context that every request contains: instructions, skills, memory, git status, date. Before each request the model's conversation is compared with what is in force;
 * what it lacks, for whatever reason, is appended to it first. What was sent before is never changed.
 */
@Injectable()
export class StandingContext {
  constructor(
    private readonly providers: AttachmentProviders,
    private readonly clock: Clock,
    private readonly reads: AttachmentReads,
  ) {}

  /** The messages to append before the next request of `state`, which is read before the first await only; sources ask it for files. Throws when a required source fails. */
  async missing({ tenantId, sessionId }: ClaimedTurn, state: SessionState, signal: AbortSignal): Promise<readonly Draft<AttachmentMessage>[]> {
    const told = toldIn(contextEntries(state));
    const known = omittedIn(state);
    const inPlace = wasSent(state) ? { inPlace: true } : {};
    const now = this.clock.now();
    const { workspace } = state;
    const { head } = workspace;
    const named = { tenantId, sessionId, settings: state.settings, hasFile: (path: string) => hasFile(workspace, head, path) };
    const request = { ...named, timeZone: timeZoneOf(state), memoryOf: memoryInUse(state, now), now };
    const read = await Promise.all(this.providers.standing.map((source) => this.#read(source, request, told.get(source.name) ?? null, signal)));
    const timestamp = this.clock.timestamp();
    const message = (attachment: Attachment) => ({ type: 'attachment' as const, uuid: this.clock.uuid(), timestamp, attachment, ...inPlace });
    return this.providers.standing.flatMap(({ name }, index) => {
      const { items = [], omission = null } = read[index] ?? {};
      if (omission !== null) return known.has(name) ? [] : [message(omission)];
      return items.map((attachment) => ({ ...message(attachment), standing: name }));
    });
  }

  async #read(source: StandingSource, request: StandingRequest, told: Attachment | null, signal: AbortSignal): Promise<Read<Attachment>> {
    const read = async (stop: AbortSignal): Promise<readonly Attachment[]> => [await source.read(request, told, stop)].filter((one) => one !== null);
    return source.isRequired ? { items: await read(signal), omission: null } : this.reads.read(source, read, signal);
  }
}

/** The sources of which the turn says already that they were left out. */
function omittedIn({ turn, messages }: SessionState): ReadonlySet<unknown> {
  const attachments = (turn?.messages ?? []).flatMap((uuid) => {
    const message = messages.get(uuid)?.message;
    return message?.type === 'attachment' ? [message.attachment] : [];
  });
  return new Set(attachments.filter(({ type }) => type === OMITTED).map(({ provider }) => provider));
}

function timeZoneOf({ turn, prompts }: SessionState): string | null {
  return prompts.get(turn?.promptId ?? '')?.submission.timeZone ?? null;
}

/** Whether the last message was part of an earlier request, as when a request is repeated. */
function wasSent({ head, messages, lastSent }: SessionState): boolean {
  const last = messages.get(head ?? '');
  return last !== undefined && lastSent !== null && last.seq <= lastSent.request.at;
}
