import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { fill, PAIRS, reachableTests } from '../support/reachable-functions.js';

/*
 * A rule of a function of all tenants stands a second time in the function that takes its place while a node is away, since a coordinator sends that one to nodes as a text. Here the texts run on one Postgres, on
 * two parts of each table in place of nodes, so that a change of one of the two is found where Citus is not installed. test/postgres/distributed-reachable.spec.ts runs them on nodes.
 */
const TWO_PARTS = String.raw`CREATE OR REPLACE FUNCTION ask_nodes(p_wait_ms int, p_table regclass, p_of_shard text, p_of_node text)
RETURNS TABLE (node text, is_up boolean, shards bigint, answer text) LANGUAGE plpgsql AS $$
DECLARE
  part text;
BEGIN
  FOR n IN 0..1 LOOP
    part := format('(SELECT * FROM public.%%s WHERE hashtext(tenant_id::text) & 1 = %s)', n);
    EXECUTE format(p_of_node, regexp_replace(format(p_of_shard, format(part, p_table)), '{(\w+)}', format(part, '\1'), 'g')) INTO answer;
    node := n;
    is_up := true;
    shards := 1;
    RETURN NEXT;
  END LOOP;
END $$`;

/** Functions of all tenants that nothing takes the place of while a node is away, and why. */
const WAITING: Readonly<Record<string, string>> = {
  archived_logs: 'a command of an operator, who may repeat it',
  blobs_in_database: 'a command of an operator, who may repeat it',
  count_tenants: 'a gauge, which is absent meanwhile',
  end_lease: 'of the coordinator alone',
  find_plain_sessions: 'a command of an operator, who may repeat it',
  is_present: 'of the coordinator alone',
  keep_progress: 'of the coordinator alone',
  keys_to_rewrap: 'a command of an operator, who may repeat it',
  pending_leaves: 'the next leaf of the one tree may be of the node that is away',
  read_nodes: 'says which are away',
  read_progress: 'of the coordinator alone',
  runs_between: 'of the coordinator alone',
  take_lease: 'of the coordinator alone',
};

let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await freshDatabase();
  owner = await connect(database.ownerUrl, 60_000);
  await owner.query(TWO_PARTS);
  // An index would bring rows in an order that the function does not ask for.
  await owner.query('SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off');
  await fill(owner);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

reachableTests(() => owner);

it('each function of all tenants has one that takes its place while a node is away, which is compared here, or a reason to wait', async () => {
  const text = await readFile('prisma/functions/README.md', 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, about]) => [name!, about!] as const);
  const replaced = rows.flatMap(([name, about]) =>
    [...(about.endsWith(', while a node is away') ? about.matchAll(/`(\w+)`/g) : [])].map(([, all]) => [all!, name] as const),
  );
  const left = rows.map(([name]) => name).filter((name) => !replaced.some((pair) => pair.includes(name)));
  expect(left.toSorted()).toEqual(Object.keys(WAITING).toSorted());
  const compared = PAIRS.map(([all, reachable]) => [/\w+/.exec(all)![0], /(?!SELECT|lease_ms|run_ms|FROM)\b\w+(?=\()/.exec(reachable)![0]].join(' '));
  expect([...new Set(compared)].toSorted()).toEqual(replaced.map((pair) => pair.join(' ')).toSorted());
});
