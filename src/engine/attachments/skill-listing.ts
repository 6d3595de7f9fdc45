import { type Skills, type StandingRequest, StandingSource } from '../../ports/index.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import { cut } from '../../../packages/protocol/message/text.js';

/** The skills that the model may call. */
export class SkillListing extends StandingSource {
  override readonly name = 'skills';

  constructor(
    private readonly skills: Pick<Skills, 'list'>,
    /** Characters of the listing: descriptions are cut to fit, then names are left out. */
    private readonly characters: number,
  ) {
    super();
  }

  override async read({ tenantId }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const listed = (await this.skills.list(tenantId)).filter(({ modelInvocable }) => modelInvocable).sort((one, other) => (one.name < other.name ? -1 : 1));
    const skills = within(listed, this.characters);
    return JSON.stringify(told?.['skills'] ?? []) === JSON.stringify(skills) ? null : { type: 'skill_listing', skills };
  }
}

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly [key: string]: string;
}

/** Names and descriptions. When they exceed `most` characters, each description is cut to an equal share, and names that do not fit are left out. */
function within(skills: readonly { readonly name: string; readonly description: string }[], most: number): readonly Listed[] {
  const total = skills.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  const room = total <= most ? Infinity : Math.floor(most / skills.length);
  let left = most;
  return skills
    .map(({ name, description }) => ({ name, description: cut(description, Math.max(0, room - name.length)) }))
    .filter(({ name, description }) => (left -= name.length + description.length) >= 0);
}
