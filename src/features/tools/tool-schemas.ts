import { z } from 'zod';
import { toolEffect } from '../../http/schemas/account-schemas.js';
import { jsonObject } from '../../http/schemas/json.js';

const source = z.string().meta({ description: '`builtin`, or `mcp:NAME` for a tool of the MCP server NAME.' });

const tool = z.strictObject({
  name: z.string().meta({ description: 'As the model calls it.' }),
  aliases: z.array(z.string()).optional().meta({ description: 'Further names by which calls reach it. The model is not told of them.' }),
  description: z.string(),
  type: z.string().optional().meta({ description: 'A tool that the model API knows: it is sent by this type and its name.' }),
  input_schema: jsonObject,
  source,
  effect: toolEffect,
});

export const configuredTools = z
  .strictObject({
    data: z.array(tool),
    problems: z
      .array(
        z.strictObject({ source: source.meta({ description: '`builtin`, `mcp:NAME`, or `agent:NAME` for an agent in the settings.' }), problem: z.string() }),
      )
      .meta({
        description: 'MCP servers that cannot be used now, tools that are left out, and agents in the settings that name tools which helpers are not offered.',
      }),
  })
  .meta({ id: 'Tools' });
