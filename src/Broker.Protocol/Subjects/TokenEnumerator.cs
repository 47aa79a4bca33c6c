namespace Broker.Protocol;

/// <summary>
/// Enumerates the tokens of a subject in order. The spans point into the subject. An empty token is an empty span.
/// </summary>
public ref struct TokenEnumerator
{
    private ReadOnlySpan<byte> _rest;

    /// <summary>Creates an enumerator before the first token.</summary>
    public TokenEnumerator(ReadOnlySpan<byte> subject)
    {
        _rest = subject;
        IsLast = false;
    }

    /// <summary>The current token.</summary>
    public ReadOnlySpan<byte> Current { get; private set; }

    /// <summary>Whether the current token is the last token.</summary>
    public bool IsLast { get; private set; }

    /// <summary>Returns this enumerator, for foreach.</summary>
    public readonly TokenEnumerator GetEnumerator() => this;

    /// <summary>Moves to the next token. Returns false after the last token.</summary>
    public bool MoveNext()
    {
        if (IsLast)
        {
            return false;
        }

        int end = _rest.IndexOf(Subject.Separator);
        IsLast = end < 0;
        Current = IsLast ? _rest : _rest[..end];
        _rest = IsLast ? default : _rest[(end + 1)..];
        return true;
    }
}
