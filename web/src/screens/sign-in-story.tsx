import { Mark } from '../ui/mark.tsx';

/** What the product is, beside the form that signs in: a conversation as it is stored, and as it was sent. */
export function SignInStory() {
  return (
    <section className="story" aria-label="About Verbatim">
      <p className="story-brand">
        <Mark /> Verbatim
      </p>
      <div className="story-words">
        <h1>Every conversation exactly as it happened, and exactly what the model was sent.</h1>
        <svg className="story-picture" viewBox="0 0 400 170" aria-hidden="true" focusable="false">
          <path className="story-link" d="M170 30h60M170 74c30 0 30-12 60-12M170 136c30 0 30-8 60-8" />
          <path
            className="story-block"
            d={`${block(0, 8, 44)}${block(0, 60, 28)}${block(0, 96, 16)}${block(0, 120, 32)}${block(230, 8, 44)}${block(230, 112, 32)}`}
          />
          <path className="story-changed" d={block(230, 60, 44)} />
          <path className="story-lines" d="M14 24h110M14 36h80M244 24h110M244 36h80M14 74h92M244 76h120M244 90h70M14 136h118M244 128h118" />
        </svg>
      </div>
      <p className="story-foot">An event log of each conversation, repairs that are explained, proofs that nothing was changed.</p>
    </section>
  );
}

/** A rectangle with round corners. */
const block = (x: number, y: number, height: number): string =>
  `M${x + 7} ${y}h156a7 7 0 0 1 7 7v${height - 14}a7 7 0 0 1-7 7h-156a7 7 0 0 1-7-7v-${height - 14}a7 7 0 0 1 7-7z`;
