import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CLAUDE } from './client-program.js';

/** A computer with a folder of a project and its own configuration, and no way out but through the proxy. */
export class ClaudeCode {
  private constructor(
    readonly project: string,
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** `url`: of the server. `proxy`: for all other addresses. The project has a file `note.txt` that says 42. */
  static async install(url: string, token: string, proxy: string): Promise<ClaudeCode> {
    const home = await mkdtemp(path.join(tmpdir(), 'claude-code-'));
    const project = path.join(home, 'project');
    await mkdir(project);
    await writeFile(path.join(project, 'note.txt'), 'The note says 42.\n');
    return new ClaudeCode(project, {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CLAUDE_CONFIG_DIR: path.join(home, 'config'),
      ANTHROPIC_BASE_URL: `${url}/anthropic`,
      ANTHROPIC_API_KEY: token,
      ANTHROPIC_MODEL: 'claude-opus-4-5',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      NO_PROXY: '127.0.0.1',
    });
  }

  /** `claude -p PROMPT`, and what it prints as JSON. */
  async ask(prompt: string, ...options: readonly string[]): Promise<ClaudeAnswer> {
    const child = this.start(prompt, ...options);
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (!output.startsWith('{')) throw new Error(`claude has not answered:\n${output}${errors}`);
    return JSON.parse(output) as ClaudeAnswer;
  }

  start(prompt: string, ...options: readonly string[]) {
    const settings = ['--output-format', 'json', '--allowedTools', 'Read', 'Agent', '--permission-mode', 'default'];
    return spawn(CLAUDE, ['-p', prompt, ...options, ...settings], { cwd: this.project, env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  uninstall(): Promise<void> {
    return rm(path.dirname(this.project), { recursive: true });
  }
}

export interface ClaudeAnswer {
  readonly session_id: string;
  readonly result: string;
  readonly is_error: boolean;
  readonly api_error_status?: number;
}
