import { z } from 'zod';
import { queryFlag, queryInteger, time, uuid } from './json.js';

/** Each of them is as long as the conversation was. */
const MAX_REQUESTS = 100;

const MAX_SIZE = 999_999_999_999_999;

export const auditQuery = z.strictObject({
  proof: queryFlag.optional().meta({ description: "Whether to include the proof that the session's newest event in the transparency log is there." }),
  requests: queryInteger(0, MAX_REQUESTS).optional().meta({
    description: 'How many of the newest requests to rebuild and to compare with the digest that was recorded when they were sent; default 0.',
  }),
});

/** Sessions in a page of the audit of a tenant: each reads a whole log. */
const MAX_PAGE = 100;

export const tenantAuditQuery = z.strictObject({
  cursor: z.uuid().optional().meta({ description: '`nextCursor` of the page before.' }),
  limit: queryInteger(1, MAX_PAGE).optional().meta({ description: 'Maximum number of sessions in the page; default 20.' }),
});

export const consistencyQuery = z.strictObject({
  from: queryInteger(1, MAX_SIZE).meta({ description: 'Size of the earlier checkpoint.', examples: [1] }),
  to: queryInteger(1, MAX_SIZE).optional().meta({ description: 'Size of the later checkpoint; default: the newest one.' }),
});

const checkpoint = z
  .strictObject({ size: z.int(), createdAt: time })
  .nullable()
  .meta({ description: 'The checkpoint that was compared with: the newest one. Null: there is none yet.' });

const logged = z
  .strictObject({
    events: z.int().meta({ description: 'The number of events, from the first on, that are in the tree of the checkpoint, unchanged.' }),
    matches: z.boolean(),
    firstMismatch: z.int().optional().meta({ description: 'The position of the first event that is not the one in the tree.' }),
    problem: z.string().optional().meta({ description: 'What is wrong with the transparency log as a whole.' }),
    checkpoint,
    anchored: z.strictObject({ size: z.int(), at: time, events: z.int() }).nullable().meta({
      description: 'The newest checkpoint that was put outside the database, and how many events of the session it covers: no change of these goes unnoticed.',
    }),
  })
  .meta({ id: 'Logged', description: 'How the events compare with the transparency log. New events get into it within about a second.' });

export const proof = z
  .strictObject({
    sessionId: uuid,
    seq: z.int(),
    hash: z.string().meta({ description: "The event's hash in the chain, hexadecimal. It covers all events before." }),
    leafIndex: z.int(),
    hashes: z.array(z.string()).meta({ description: 'Inclusion proof (RFC 6962, 2.1.1), base64.' }),
    checkpoint: z.string().meta({ description: 'The signed checkpoint.' }),
    key: z.string().meta({ description: 'The public key of the checkpoint. Compare it with one that you got another way.' }),
  })
  .meta({ id: 'Proof' });

const finding = z
  .enum([
    'missing',
    'altered',
    'content',
    'erasure',
    'parent',
    'head',
    'fold',
    'archive',
    'unreadable',
    'row',
    'file',
    'request',
    'set_back',
    'transparency_log',
  ])
  .optional()
  .meta({
    description:
      'The first thing that is wrong: with an event of the log, its row of the session list, its files, its requests, or its place in the transparency log. docs/proofs.md has a table.',
  });

export const audit = z
  .strictObject({
    version: z.int(),
    events: z.int(),
    headHash: z.string().nullable(),
    valid: z.boolean(),
    finding,
    firstInvalidSeq: z.int().optional().meta({
      description: 'The position of the first event that is missing, was altered, was added outside the server, or was erased without an event that says so.',
    }),
    erased: z.int().meta({ description: 'How many of the events are erased.' }),
    rowMatches: z
      .boolean()
      .meta({ description: 'Whether the row of the session list is that of the log: owner, title, model, state, counts, first and last text, usage.' }),
    files: z.strictObject({ checked: z.int(), invalid: z.array(z.string()) }).meta({
      description: 'How many files messages refer to, and the SHA-256 of those that are gone or have other bytes.',
    }),
    requests: z
      .strictObject({
        checked: z.int(),
        erased: z.int().meta({ description: 'Of how many of these nothing is left to compare: their content was erased.' }),
        invalid: z.array(z.strictObject({ requestId: uuid, seq: z.int(), problem: z.string() })),
      })
      .optional()
      .meta({
        description:
          'With `requests`: of the newest ones, those of which the log does not have what was sent, the newest first, with the position of their event.',
      }),
    setBack: z.literal(true).optional().meta({ description: 'The log does not continue what this process of the server has audited earlier, or serves.' }),
    parents: z.array(z.strictObject({ sessionId: uuid, seq: z.int(), headHash: z.string(), valid: z.boolean() })).optional(),
    transparencyLog: logged.optional(),
    proof: proof.nullable().optional().meta({ description: 'With `proof=true`; null while no event of the session is in the transparency log.' }),
  })
  .meta({ id: 'Audit' });

export const tenantAudit = z
  .strictObject({
    valid: z.boolean().meta({ description: 'Whether every session of this page is.' }),
    data: z.array(
      z.strictObject({
        sessionId: uuid,
        valid: z.boolean(),
        events: z.int(),
        rowMatches: z.boolean(),
        finding,
        firstInvalidSeq: z.int().optional(),
      }),
    ),
    checkpoint,
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'TenantAudit' });

export const consistency = z
  .strictObject({ from: z.int(), to: z.int(), hashes: z.array(z.string()).meta({ description: 'Consistency proof (RFC 6962, 2.1.2), base64.' }) })
  .meta({ id: 'Consistency' });

export const anchorsQuery = z.strictObject({
  limit: queryInteger(1, MAX_PAGE).optional().meta({ description: 'Maximum number of entries; default 20.' }),
});

export const anchors = z
  .strictObject({
    data: z.array(
      z.strictObject({
        size: z.int().meta({ description: 'Leaves of the checkpoint.' }),
        at: time,
        kind: z.enum(['timestamp', 'witness']),
        checkpoint: z.string().meta({ description: 'The signed checkpoint; with the cosignature of a witness as its last line.' }),
        token: z.string().optional().meta({ description: 'Time stamp token (RFC 3161) over the checkpoint, DER in base64.' }),
      }),
    ),
  })
  .meta({ id: 'Anchors' });
