import { DEFAULT_MODEL, profileFor } from '../models/profiles.js';
import { checkRequest } from './index.js';
import type { Problem } from './problem.js';
import type { ClientTool } from '../../protocol/message/tool-definition.js';

const PROFILE = profileFor(DEFAULT_MODEL);

/** The first rule that a request with this tool definition violates, or null. `at` is relative to the tool, such as `input_schema.type`. */
export function toolProblem(tool: ClientTool): Problem | null {
  const [problem] = checkRequest({ model: DEFAULT_MODEL, max_tokens: 1, messages: [{ role: 'user', content: 'x' }], tools: [tool] }, PROFILE);
  return problem ? { ...problem, at: problem.at.replace(/^tools\.0\.?(?:custom\.?)?/, '') } : null;
}
