import type { SkillAnswer } from '../../../src/client/index.ts';
import { byteSize } from '../../model/bytes/byte-size.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { LongText } from '../../parts/long-text.tsx';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';

const SCHEMAS = ['input', 'parameter', 'output'] as const;

/** The text of a skill, its files and its schemas. */
export function SkillContent({ skill: { body, files, schemas } }: { skill: SkillAnswer }) {
  const text = useText();
  return (
    <div className="skill-content">
      <section aria-labelledby="skill-text">
        <h2 id="skill-text">{text(words.instructions)}</h2>
        {body.trim() === '' ? <p className="quiet">{text(words.noInstructions)}</p> : <Markdown text={body} />}
      </section>
      <div>
        {SCHEMAS.filter((kind) => schemas[kind] !== undefined).map((kind) => (
          <details key={kind} className="skill-schema">
            <summary>{text(words.schemas[kind])}</summary>
            <div className="bytes">
              <LongText text={JSON.stringify(schemas[kind], null, 2)} />
            </div>
          </details>
        ))}
      </div>
      {files.length > 0 && (
        <section aria-labelledby="skill-files">
          <h2 id="skill-files">{text(words.files)}</h2>
          <ul className="skill-files">
            {files.map(({ path, bytes }) => (
              <li key={path}>
                <bdi className="bytes">{showUnseen(path)}</bdi> <span className="quiet small">{byteSize(bytes)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
