import { describe, expect, it } from '@jest/globals';
import type { RequestLog } from '../../engine/queries/request-log.js';
import type { ComputePool } from '../../ports/index.js';
import type { RequestRecord } from '../../session/state/state.js';
import type { Found } from './find-session.js';
import { repairAnswer, type RepairedRequest } from './repaired-request.js';
import { Repairs } from './repairs.js';
import { readConversation, type SentConversation } from './sent-conversation.js';

const QUESTION = { role: 'user', content: 'q' };
const EMPTY = { role: 'assistant', content: [{ type: 'text', text: '' }] };
const textOf = (turns: number): string =>
  JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 100, messages: [...Array.from({ length: turns }, () => [QUESTION, EMPTY]).flat(), QUESTION] });

const conversationOf = async (turns: number): Promise<SentConversation> => (await readConversation(Buffer.from(textOf(turns))))!;
const uuidsOf = (turns: number): readonly string[] => Array.from({ length: 2 * turns + 1 }, (_, index) => `m${index}`);

function refused(turns: number): RepairedRequest {
  const error = { status: 400, message: 'messages: text content blocks must be non-empty' };
  const body = { requestId: 'r', text: textOf(turns), uuids: uuidsOf(turns), sent: null, error, betas: [] };
  return repairAnswer(Buffer.from(JSON.stringify(body))).repaired!;
}

const recordOf = (requestId: string, seq = 1_000): RequestRecord => ({ sent: { requestId }, seq }) as unknown as RequestRecord;
const found = (repaired: readonly RequestRecord[], turns: number): Found => ({
  ...{
    sessionId: 's',
    version: 1,
    match: { after: null, messages: 0, hasAnswer: false },
    conversation: uuidsOf(turns),
    seqs: uuidsOf(turns).map((_, index) => index),
  },
  ...{ erasures: 0, repaired, lastRequest: null, group: null },
});

/** Repairs, and the requests that are read from the log for them. */
function opened(): { readonly repairs: Repairs; readonly read: string[] } {
  const read: string[] = [];
  const sent = { before: (record: RequestRecord) => (read.push(record.sent.requestId), { bodies: new Map() }) };
  return { repairs: new Repairs({ of: () => sent } as unknown as RequestLog, null as unknown as ComputePool), read };
}

describe('a conversation that was repaired', () => {
  it('is continued from memory, turn by turn: the log is not read for it', async () => {
    const { repairs, read } = opened();
    const before = [recordOf('r1')];
    repairs.keep(before[0], uuidsOf(1), refused(1), []);
    for (let turns = 2; turns < 12; turns += 1) {
      const again = await repairs.again('t', found(before, turns), await conversationOf(turns));
      expect(JSON.parse(again!.text).messages[1]).not.toEqual(EMPTY);
      const record = recordOf(`r${turns}`);
      repairs.keep(record, uuidsOf(turns), again!, before);
      before.unshift(record);
    }
    expect(read).toEqual([]);
  });

  it('has the repairs of its newest sixteen requests in memory, and no more', async () => {
    const { repairs, read } = opened();
    const before: RequestRecord[] = [];
    for (let at = 1; at <= 20; at += 1) {
      const record = recordOf(`r${at}`);
      repairs.keep(record, uuidsOf(1), refused(1), before);
      before.unshift(record);
    }
    for (const record of before) await repairs.again('t', found([record], 2), await conversationOf(2));
    expect(read).toEqual(['r4', 'r3', 'r2', 'r1']);
  });

  it('is repaired as the request was that shares most of its history, however many of other branches are newer', async () => {
    const { repairs, read } = opened();
    const before: RequestRecord[] = [];
    const keep = (seq: number, uuids: readonly string[], turns: number): void => {
      const record = recordOf(`r${seq}`, seq);
      repairs.keep(record, uuids, refused(turns), before);
      before.unshift(record);
    };
    keep(100, uuidsOf(3), 3);
    // The other branch shares the first turn only.
    for (let seq = 101; seq < 112; seq += 1)
      keep(
        seq,
        [
          ...uuidsOf(1),
          ...uuidsOf(2)
            .slice(3)
            .map((uuid) => `other ${uuid}`),
        ],
        2,
      );
    const { messages } = JSON.parse((await repairs.again('t', found(before, 4), await conversationOf(4)))!.text);
    expect([messages[1], messages[3], messages[5]]).not.toContainEqual(EMPTY);
    expect(read).toEqual([]);
  });

  it('reads no request that knew less of the history than the one that was found', async () => {
    const { repairs, read } = opened();
    const before = Array.from({ length: 5 }, (_, at) => recordOf(`unread ${at}`, 1));
    const record = recordOf('r', 10);
    repairs.keep(record, uuidsOf(2), refused(2), before);
    expect(await repairs.again('t', found([record, ...before], 3), await conversationOf(3))).not.toBeNull();
    expect(read).toEqual([]);
  });

  it('is read from the log once, where another process has repaired it', async () => {
    const { repairs, read } = opened();
    const before = [recordOf('elsewhere')];
    for (const turns of [2, 3]) await repairs.again('t', found(before, turns), await conversationOf(turns));
    expect(read).toEqual(['elsewhere']);
  });
});
