import { Feature } from '../../engine/feature.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { Schedules } from '../../ports/index.js';
import { PostgresSchedules } from './postgres-schedules.js';
import { ScheduleRuns } from './schedule-runs.js';
import { SchedulesController } from './schedules.controller.js';
import { SetScheduleHandler } from './set-schedule.js';

@Feature({
  routes: [SchedulesController],
  handlers: [SetScheduleHandler],
  ports: [{ provide: Schedules, inject: [Database], useFactory: (database: Database) => new PostgresSchedules(database) }],
  background: [ScheduleRuns],
})
export class SchedulesModule {}
