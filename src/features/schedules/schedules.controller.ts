import { Body, Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import type { CommandContext } from '../../engine/commands/context.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { newSchedule, scheduleAnswer, scheduleChanges, scheduleDeleted, schedules } from './schedule-schemas.js';
import { DeleteScheduleCommand, type ScheduleInput, SetScheduleCommand } from './set-schedule.js';

/** Prompts that are submitted by time. */
@ApiTags('schedules')
@Controller('v1/sessions/:id/schedules')
export class SchedulesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
  ) {}

  @Post()
  @ApiRoute({
    operation: 'createSchedule',
    summary: 'Have a prompt submitted by time',
    description:
      'By a cron expression in a time zone, or every so many seconds. Each run submits the prompt with the rights and quotas of the user who made or last changed the schedule, and is an event `schedule.ran`.',
    status: 201,
    response: scheduleAnswer,
    problems: ['empty_input', 'payload_too_large', 'limit_reached', 'session_erased', 'schedule_not_found'],
    body: true,
    command: SetScheduleCommand,
  })
  async create(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: newSchedule }) body: z.input<typeof newSchedule>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new SetScheduleCommand(context, { scheduleId: null, given: inputOf(body) }));
    response.location(`/v1/sessions/${id}/schedules`);
    return answer;
  }

  @Get()
  @ApiRoute({
    operation: 'listSchedules',
    access: 'session.read',
    summary: 'List the schedules of the session',
    description: 'In the order in which they were created, each with its next and its last run.',
    status: 200,
    response: schedules,
    problems: [],
  })
  list(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.schedules(caller, id);
  }

  @Patch(':scheduleId')
  @ApiRoute({
    operation: 'updateSchedule',
    summary: 'Change, pause or resume a schedule',
    description:
      'What is absent stays. `paused: true` pauses it, `false` resumes it: the next run is then the next time by `cron`, or after one interval; no run is made for the times between. Its prompts are those of the caller from now on.',
    status: 200,
    response: scheduleAnswer,
    problems: ['schedule_not_found', 'empty_input', 'payload_too_large', 'limit_reached', 'session_erased'],
    body: true,
    command: SetScheduleCommand,
  })
  update(
    @PathId('id') _: string,
    @PathId('scheduleId') scheduleId: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: scheduleChanges }) body: z.input<typeof scheduleChanges>,
  ) {
    return this.commands.execute(new SetScheduleCommand(context, { scheduleId, given: inputOf(body) }));
  }

  @Delete(':scheduleId')
  @ApiRoute({
    operation: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'Prompts that it has submitted stay, also those in the queue.',
    status: 200,
    response: scheduleDeleted,
    problems: ['schedule_not_found'],
    command: DeleteScheduleCommand,
  })
  remove(@PathId('id') _: string, @PathId('scheduleId') scheduleId: string, @CommandContextOf() context: CommandContext) {
    return this.commands.execute(new DeleteScheduleCommand(context, { scheduleId }));
  }
}

function inputOf({ cron, timeZone = 'UTC', everySeconds, ...rest }: z.input<typeof scheduleChanges>): ScheduleInput {
  const timing =
    cron !== undefined
      ? { kind: 'cron' as const, expression: cron, timeZone }
      : everySeconds !== undefined
        ? { kind: 'interval' as const, seconds: everySeconds }
        : undefined;
  return { ...rest, ...(timing === undefined ? {} : { timing }) } as ScheduleInput;
}
