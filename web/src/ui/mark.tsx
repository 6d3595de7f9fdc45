/** The mark of the product: what is stored, and what was sent. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M6 6h9v5H6zM6 14h9v3H6zM6 20h9v6H6z" opacity=".45" />
      <path d="M17 6h9v5h-9zM17 20h9v6h-9z" />
    </svg>
  );
}
