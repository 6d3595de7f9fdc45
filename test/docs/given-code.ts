/** What examples in TypeScript take for granted: declarations that they may use. */
export const GIVEN_CODE = `
declare function currentToken(): Promise<string>;
declare function write(text: string): void;
declare function show(event: unknown): void;
declare function render(chat: unknown): void;
declare const client: import('@verbatim/client').Client;
declare const Conversation: typeof import('@verbatim/client').Conversation;
declare const DefaultChatTransport: typeof import('ai').DefaultChatTransport;
declare const useChat: typeof import('@ai-sdk/react').useChat;
declare const createHmac: typeof import('node:crypto').createHmac;
declare const timingSafeEqual: typeof import('node:crypto').timingSafeEqual;
declare const id: string;
declare const token: string;
declare const initial: import('ai').UIMessage[];
declare const file: File;
declare const image: HTMLImageElement;
declare const block: Extract<import('@verbatim/client').ContentBlock, { type: 'image' }> & { source: { sha256: string } };
declare const uuidOfAPrompt: string;
declare const secret: string;
declare const timestamp: string;
declare const body: string;
declare const signature: string;
// The Agent SDK is no dependency: what the examples use of it, as its types have it.
declare module '@anthropic-ai/claude-agent-sdk' {
  export const foldSessionSummary: import('@verbatim/session-store').FoldSessionSummary;
  export function query(of: { prompt: string; options: { sessionStore: import('@verbatim/session-store').VerbatimSessionStore } }): AsyncIterable<unknown>;
}
`;
