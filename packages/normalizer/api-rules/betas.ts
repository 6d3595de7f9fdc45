import type { Stage } from './parsed-request.js';

/** An unknown value of the `anthropic-beta` header fails the request (docs: Beta headers). */
export const betas: Stage = ({ settings: { betas: given = [], knownBetas } }, report) => {
  const unknown = knownBetas ? given.filter((value) => !knownBetas.has(value)) : [];
  if (unknown.length === 0) return;
  const found = `Unexpected value(s) ${unknown.map((value) => `\`${value}\``).join(', ')} for the \`anthropic-beta\` header.`;
  report({ rule: 'unknown-beta', at: '', text: `${found} Please consult our documentation at platform.claude.com/docs or try again without the header.` });
};
