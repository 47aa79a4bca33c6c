namespace Broker.Cli.Settings;

/// <summary>Hides user names and passwords of URLs such as <c>nats://user:password@host</c>.</summary>
internal static class UserInfo
{
    /// <summary>
    /// Returns the text without the part before the last '@', because a password may contain an '@' that was not
    /// escaped.
    /// </summary>
    public static string Hide(string text)
    {
        int end = text.LastIndexOf('@');
        if (end < 0)
        {
            return text;
        }

        int scheme = text.IndexOf("//", StringComparison.Ordinal);
        bool isUrl = scheme >= 0 && scheme < end;
        return isUrl ? string.Concat(text.AsSpan(0, scheme + 2), "…", text.AsSpan(end))
            : text.AsSpan(0, end).Contains(':') ? string.Concat("…", text.AsSpan(end))
            : text;
    }
}
