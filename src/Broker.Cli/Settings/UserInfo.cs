namespace Broker.Cli.Settings;

/// <summary>The part of a URL that says who asks, in <c>nats://user:password@host</c>.</summary>
internal static class UserInfo
{
    /// <summary>The text without it. To the last @, since one in a password may not have been escaped.</summary>
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
