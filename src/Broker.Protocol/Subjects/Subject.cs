namespace Broker.Protocol;

/// <summary>
/// The rules of subjects: tokens of at least one byte, separated by dots. In a filter, the token <c>*</c> matches any
/// one token, and <c>&gt;</c> as the last token matches one or more tokens.
/// </summary>
public static class Subject
{
    /// <summary>The byte that separates tokens.</summary>
    public const byte Separator = (byte)'.';

    /// <summary>The token that matches any one token.</summary>
    public const byte AnyToken = (byte)'*';

    /// <summary>The token that matches one or more tokens. It must be the last token of a filter.</summary>
    public const byte AnyTail = (byte)'>';

    /// <summary>
    /// Whether a client may subscribe with this filter: it has no empty token, no white space, and <c>&gt;</c> only as
    /// the last token.
    /// </summary>
    public static bool IsValidFilter(ReadOnlySpan<byte> filter)
    {
        if (filter.IsEmpty || filter.IndexOfAny(" \t\r\n\0"u8) >= 0)
        {
            return false;
        }

        var tokens = new TokenEnumerator(filter);
        while (tokens.MoveNext())
        {
            ReadOnlySpan<byte> token = tokens.Current;
            if (token.IsEmpty || (token is [AnyTail] && !tokens.IsLast))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Whether a client may publish to this subject: the subject is a valid filter without wildcard tokens.
    /// </summary>
    public static bool IsValidLiteral(ReadOnlySpan<byte> subject) => IsValidFilter(subject) && !HasWildcard(subject);

    /// <summary>
    /// Whether every token has at least one byte. The server routes only subjects without an empty token.
    /// </summary>
    public static bool HasNoEmptyToken(ReadOnlySpan<byte> subject)
        => !subject.IsEmpty && subject[0] != Separator && subject[^1] != Separator && subject.IndexOf(".."u8) < 0;

    /// <summary>
    /// Whether a token is <c>*</c> or <c>&gt;</c>. In longer tokens, these bytes have no special meaning.
    /// </summary>
    public static bool HasWildcard(ReadOnlySpan<byte> filter)
    {
        if (filter.IndexOfAny(AnyToken, AnyTail) < 0)
        {
            return false;
        }

        foreach (ReadOnlySpan<byte> token in new TokenEnumerator(filter))
        {
            if (token is [AnyToken] or [AnyTail])
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether <paramref name="filter"/> matches <paramref name="subject"/>.</summary>
    public static bool Matches(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> subject)
    {
        while (true)
        {
            if (filter is not [AnyToken, Separator, ..])
            {
                int same = filter.CommonPrefixLength(subject);
                if (same == filter.Length && same == subject.Length)
                {
                    return true;
                }

                // The start of the first token that differs.
                int start = filter[..same].LastIndexOf(Separator) + 1;
                filter = filter[start..];
                subject = subject[start..];
                if (filter is not ([AnyToken] or [AnyToken, Separator, ..]))
                {
                    return filter is [AnyTail];
                }
            }

            int end = subject.IndexOf(Separator);
            if (end < 0 || filter.Length == 1)
            {
                return end < 0 && filter.Length == 1;
            }

            filter = filter[2..];
            subject = subject[(end + 1)..];
        }
    }
}
