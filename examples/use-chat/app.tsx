// A chat with useChat of the AI SDK, unchanged, and this server: docs/use-chat.md.
// Open it with #api=<address of the server>&token=<token>&chat=<any id>.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';

const given = new URLSearchParams(location.hash.slice(1));
const id = given.get('chat') ?? 'example';
const api = `${given.get('api') ?? location.origin}/v1/ui/chat`;
const headers = { authorization: `Bearer ${given.get('token')}` };
const transport = new DefaultChatTransport({
  api,
  headers,
  // The server has the earlier messages.
  prepareSendMessagesRequest: ({ messages, trigger, messageId }) => ({ body: { id, messages: messages.slice(-1), trigger, messageId } }),
});

function Part({ part, answer }: { part: UIMessage['parts'][number]; answer: (id: string, approved: boolean) => void }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'reasoning') return <em>{part.text}</em>;
  if (part.type === 'file') return <p>[{part.filename ?? part.mediaType}]</p>;
  if (part.type === 'data-notice') return <pre>{(part.data as { text: string }).text}</pre>;
  if (part.type !== 'dynamic-tool') return null;
  const { toolName, state, input, approval } = part;
  return (
    <div className={`tool ${state}`}>
      <code>{`${toolName} ${JSON.stringify(input)}: ${state}`}</code>
      {state === 'approval-requested' && approval && (
        <>
          <button onClick={() => answer(approval.id, true)}>Allow</button>
          <button onClick={() => answer(approval.id, false)}>Reject</button>
        </>
      )}
    </div>
  );
}

function Chat({ initial }: { initial: UIMessage[] }) {
  const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses;
  const chat = useChat({ id, messages: initial, transport, resume: true, sendAutomaticallyWhen });
  const [files, setFiles] = useState<FileList>();
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('text'));
    void chat.sendMessage({ text, ...(files ? { files } : {}) });
    event.currentTarget.reset();
    setFiles(undefined);
  };
  // Leaving the page does not stop an answer; this does.
  const stop = async (): Promise<void> => void (await fetch(`${api}/${id}/stream`, { method: 'DELETE', headers }));
  return (
    <>
      {chat.messages.map((message) => (
        <article key={message.id} className={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} answer={(approval, approved) => void chat.addToolApprovalResponse({ id: approval, approved })} />
          ))}
        </article>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form onSubmit={send}>
        <textarea name="text" aria-label="Prompt" />
        <input type="file" multiple onChange={(event) => setFiles(event.target.files ?? undefined)} aria-label="Files" />
        <button disabled={isBusy}>Send</button>
      </form>
      <button onClick={() => void stop()}>Stop</button>
      <button onClick={() => void chat.regenerate()}>Regenerate</button>
      <output>{chat.status}</output>
    </>
  );
}

const { messages } = (await (await fetch(`${api}/${id}`, { headers })).json()) as { messages: UIMessage[] };
createRoot(document.querySelector('main')!).render(<Chat initial={messages} />);
