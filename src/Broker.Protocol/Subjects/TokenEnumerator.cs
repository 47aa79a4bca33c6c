namespace Broker.Protocol.Subjects;

/// <summary>The tokens of a subject, in order, borrowed from it. An empty token is given as an empty span.</summary>
public ref struct TokenEnumerator
{
    private ReadOnlySpan<byte> _rest;

    /// <summary>Begins before the first token.</summary>
    public TokenEnumerator(ReadOnlySpan<byte> subject)
    {
        _rest = subject;
        IsLast = false;
    }

    /// <summary>The token.</summary>
    public ReadOnlySpan<byte> Current { get; private set; }

    /// <summary>Whether no token follows.</summary>
    public bool IsLast { get; private set; }

    /// <summary>Itself, for foreach.</summary>
    public readonly TokenEnumerator GetEnumerator() => this;

    /// <summary>Goes to the next token; false after the last.</summary>
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
