import { describe, expect, it } from '@jest/globals';
import { repairAnswer, type RefusedText } from './repaired-request.js';

const refused = (messages: string, message: string): RefusedText => ({
  requestId: 'r',
  text: `{"model":"claude-sonnet-5-5","max_tokens":100,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":${messages}}`,
  uuids: ['a', 'b', 'c', 'd'].slice(0, (JSON.parse(messages) as readonly unknown[]).length),
  sent: null,
  error: { status: 400, message },
  betas: [],
});
const repaired = (of: RefusedText) => repairAnswer(Buffer.from(JSON.stringify(of))).repaired;

const INPUT = '{"id":9007199254740993,"f":1.0,"2":1,"1":-0}';

describe('a message that is written again', () => {
  it('has the inputs of its calls as the client wrote them', () => {
    const call = `{"type":"tool_use","id":"t1","name":"f","input":${INPUT}}`;
    const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}';
    const messages = `[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":""},${call}]},${result}]`;
    const found = repaired(refused(messages, 'messages: text content blocks must be non-empty'));
    expect(found?.edits).toHaveLength(1);
    expect(found?.text).toContain(`[${call}]`);
  });

  it('has them when a cache marker is taken away', () => {
    const marked = (id: string): string => `{"type":"tool_use","id":"${id}","name":"f","input":${INPUT},"cache_control":{"type":"ephemeral"}}`;
    const ids = ['t1', 't2', 't3', 't4', 't5'];
    const results = ids.map((id) => `{"type":"tool_result","tool_use_id":"${id}","content":"ok"}`).join(',');
    const messages = `[{"role":"user","content":"q"},{"role":"assistant","content":[${ids.map(marked).join(',')}]},{"role":"user","content":[${results}]}]`;
    const found = repaired(refused(messages, 'A maximum of 4 blocks with cache_control may be provided. Found 5.'));
    expect(found?.text.split(`"input":${INPUT}`)).toHaveLength(6);
    expect(found?.text).not.toContain('cache_control');
  });
});
