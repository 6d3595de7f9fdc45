import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { interrupted } from '../../http/schemas/prompt-schemas.js';
import { uiChatBody, uiMessages } from './ui-chat-schemas.js';
import { UiChats } from './ui-chats.js';

const FORMAT = 'Server-sent events with the header `x-vercel-ai-ui-message-stream: v1`: the UI message stream of the AI SDK.';
const EXAMPLE =
  'data: {"type":"start","messageId":"1f0e6b9d-3a57-4c1f-8e26-90b4d7c5a312"}\n\ndata: {"type":"start-step"}\n\ndata: {"type":"text-start","id":"0"}\n\n' +
  'data: {"type":"text-delta","id":"0","delta":"Hello"}\n\ndata: {"type":"text-end","id":"0"}\n\ndata: {"type":"finish-step"}\n\ndata: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n';

/** The door for `useChat` and `DefaultChatTransport` of the AI SDK. What it may do in a session is decided by the same rights as everywhere. */
@ApiTags('AI SDK')
@Controller('v1/ui/chat')
export class UiChatController {
  constructor(private readonly chats: UiChats) {}

  @Post()
  @HttpCode(200)
  @ApiRoute({
    operation: 'sendUiMessage',
    access: 'tenant.use',
    summary: 'Send the newest message of a chat and stream the answer',
    description:
      'A user message is a prompt; a known one with another text is an edit, and with `trigger: regenerate-message` its answer is regenerated. An assistant message carries decisions about tool calls ' +
      `and results of client tools. The first message of a chat creates its session. A message that is sent again is not executed again. ${FORMAT}`,
    status: 200,
    response: 'text/event-stream',
    example: EXAMPLE,
    problems: [
      'session_not_found',
      'session_busy',
      'session_closed',
      'session_erased',
      'server_outdated',
      'forbidden',
      'empty_input',
      'unsupported_input',
      'image_rejected',
      'document_rejected',
      'tool_unavailable',
      'tool_call_not_waiting',
      'tool_call_not_found',
      'message_exists',
      'message_not_on_path',
      'prompt_not_found',
      'limit_reached',
      'quota_exceeded',
      'model_not_allowed',
      'version_conflict',
      'idempotency_mismatch',
    ],
    body: true,
  })
  send(@Caller() caller: AuthorizedCaller, @Body({ schema: uiChatBody }) body: z.output<typeof uiChatBody>, @Res() response: Response): Promise<void> {
    return this.chats.send(caller, body, response);
  }

  @Get(':chatId')
  @ApiRoute({
    operation: 'listUiMessages',
    access: 'tenant.use',
    summary: 'Get the conversation of a chat as UI messages, the initial messages of a page',
    description: 'Empty for a chat that does not exist yet. An answer that is being written is missing: it is all in the stream of the chat.',
    status: 200,
    response: uiMessages,
    problems: ['forbidden', 'server_outdated'],
  })
  messages(@Caller() caller: AuthorizedCaller, @Param('chatId') chatId: string) {
    return this.chats.messages(caller, chatId);
  }

  @Get(':chatId/stream')
  @ApiRoute({
    operation: 'resumeUiStream',
    access: 'tenant.use',
    summary: 'Stream the answer that is being written, from its beginning; 204 when there is none',
    emptyWhen: 'No answer is being written.',
    description: FORMAT,
    status: 200,
    response: 'text/event-stream',
    example: EXAMPLE,
    problems: ['forbidden', 'limit_reached', 'server_outdated'],
  })
  resume(@Caller() caller: AuthorizedCaller, @Param('chatId') chatId: string, @Res() response: Response): Promise<void> {
    return this.chats.resume(caller, chatId, response);
  }

  @Delete(':chatId/stream')
  @ApiRoute({
    operation: 'stopUiStream',
    access: 'tenant.use',
    summary: 'Interrupt the running turn of a chat; idempotent',
    description: "For the stop button of the AI SDK's chat; the answer so far is kept.",
    status: 200,
    response: interrupted,
    problems: ['forbidden', 'session_not_found', 'session_erased', 'version_conflict', 'server_outdated'],
  })
  stop(@Caller() caller: AuthorizedCaller, @Param('chatId') chatId: string) {
    return this.chats.stop(caller, chatId);
  }
}
